// Writes the version of package.json into the source that sends it, for which the manifest is out of reach in a browser.
// The argument is the folder of the package.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [, , folder = join(import.meta.dirname, '..')] = process.argv;
const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const file = join(folder, 'src/transport/send.ts');
const source = readFileSync(file, 'utf8');
const parts = source.split(/(?<=^const VERSION = ').*(?=';$)/m);
if (parts.length !== 2) throw new Error(`${file} declares no VERSION, or several`);
writeFileSync(file, parts.join(version));
