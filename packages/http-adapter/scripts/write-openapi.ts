// Writes the document that a server of the current sources publishes to openapi.json, unless it would break clients of
// the last release. The changes in released/accepted-changes.json may. The previous openapi.json does not matter. The
// argument is the folder of the package.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { forbiddenChanges } from './forbidden-changes.ts';
import { acceptedChanges, releasedFile } from './released-file.ts';
import { currentDocument } from './current-document.ts';

const [, , folder = join(import.meta.dirname, '..')] = process.argv;
const document = currentDocument();
const released: unknown = JSON.parse(readFileSync(releasedFile(folder), 'utf8'));
const broken = forbiddenChanges(released, document, acceptedChanges(folder));
if (broken.length > 0) {
  const reasons = broken.map((reason) => `- ${reason}\n`);
  process.stderr.write(
    `These changes break clients of the last release. They need a new major version, or a reason in accepted-changes.json:\n${reasons.join('')}`,
  );
  process.exitCode = 1;
} else {
  writeFileSync(join(folder, 'openapi.json'), `${JSON.stringify(document, undefined, 2)}\n`);
}
