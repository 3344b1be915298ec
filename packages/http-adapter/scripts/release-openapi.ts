// Stores openapi.json as the document of the release whose version is in package.json, and deletes the previous one. The
// argument is the folder of the package.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { releasedFile } from './released-file.ts';

const [, , folder = join(import.meta.dirname, '..')] = process.argv;
const document: unknown = JSON.parse(readFileSync(join(folder, 'openapi.json'), 'utf8'));
const file = releasedFile(folder);
rmSync(dirname(file), { recursive: true, force: true });
mkdirSync(dirname(file));
writeFileSync(file, `${JSON.stringify(document)}\n`);
