// Writes the document that a server of the current sources publishes to openapi.json, unless it would break clients of
// the last release. The previous openapi.json does not matter. The argument is the folder of the package.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { forbiddenChanges } from './forbidden-changes.ts';
import { releasedFile } from './released-file.ts';
import { currentDocument } from './current-document.ts';

const [, , folder = join(import.meta.dirname, '..')] = process.argv;
const document = currentDocument();
const released: unknown = JSON.parse(readFileSync(releasedFile(folder), 'utf8'));
const broken = forbiddenChanges(released, document);
if (broken.length > 0) {
  const reasons = broken.map((reason) => `- ${reason}\n`);
  process.stderr.write(
    `These changes break clients of the last release and need a new major version:\n${reasons.join('')}`,
  );
  process.exitCode = 1;
} else {
  writeFileSync(join(folder, 'openapi.json'), `${JSON.stringify(document, undefined, 2)}\n`);
}
