// Writes the document that a server of these sources publishes to where a copy of it is kept, which is openapi.json or
// what the argument names; unless that would break clients of the API.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { refusal } from './refusal.ts';
import { theDocument } from './the-document.ts';

const [, , file = join(import.meta.dirname, '../openapi.json')] = process.argv;
const document = theDocument();
const kept: unknown = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
const broken = kept === undefined ? [] : refusal(kept, document);
if (broken.length > 0) {
  const reasons = broken.map((reason) => `- ${reason}\n`);
  process.stderr.write(`This breaks clients of the API, which asks for a new major version:\n${reasons.join('')}`);
  process.exitCode = 1;
} else {
  writeFileSync(file, `${JSON.stringify(document, undefined, 2)}\n`);
}
