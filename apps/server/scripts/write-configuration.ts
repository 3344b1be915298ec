// Updates the configuration table in docs/reference/configuration.md from the sources.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withConfigurationTable } from './configuration-table.ts';

const FILE = join(import.meta.dirname, '../../../docs/reference/configuration.md');
writeFileSync(FILE, withConfigurationTable(readFileSync(FILE, 'utf8')));
