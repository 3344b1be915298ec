// Prints what two documents say differently, after all references of both are resolved: `compare-openapi.ts BEFORE AFTER`.
// AFTER is openapi.json by default. Shows that a change of the components has not changed the API.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { differences } from './document-meaning.ts';

const [, , before, after = join(import.meta.dirname, '../openapi.json')] = process.argv;
if (before === undefined) throw new Error('usage: compare-openapi.ts BEFORE [AFTER]');
const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
const found = differences(read(before), read(after));
const shown = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value));
const lines = found.map(({ at, before: was, after: is }) => `${at}: ${shown(was)} became ${shown(is)}\n`);
process.stdout.write(`${lines.join('')}${lines.length} differences\n`);
