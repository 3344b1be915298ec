// Writes the document that a server of these sources publishes to openapi.json, unless it would break a client of the
// last release. What openapi.json was meanwhile does not matter. The argument is the folder of the package.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { refusal } from './refusal.ts';
import { releasedFile } from './released-file.ts';
import { theDocument } from './the-document.ts';

const [, , folder = join(import.meta.dirname, '..')] = process.argv;
const document = theDocument();
const released: unknown = JSON.parse(readFileSync(releasedFile(folder), 'utf8'));
const broken = refusal(released, document);
if (broken.length > 0) {
  const reasons = broken.map((reason) => `- ${reason}\n`);
  process.stderr.write(
    `This breaks clients of the last release, so it needs a new major version:\n${reasons.join('')}`,
  );
  process.exitCode = 1;
} else {
  writeFileSync(join(folder, 'openapi.json'), `${JSON.stringify(document, undefined, 2)}\n`);
}
