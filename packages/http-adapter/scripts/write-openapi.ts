// Writes the document that a server of the current sources publishes to openapi.json, unless it would break clients of
// the last release. The changes in released/accepted-changes.json may, and those must exist. The previous openapi.json does
// not matter. The argument is the folder of the package.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { currentDocument } from './current-document.ts';
import { faultsSinceRelease } from './released-file.ts';

const [, , folder = join(import.meta.dirname, '..')] = process.argv;
const document = currentDocument();
const faults = faultsSinceRelease(folder, document);
if (faults.length > 0) {
  const reasons = faults.map((fault) => `- ${fault}\n`);
  process.stderr.write(
    `These changes break clients of the last release. They need a new major version, or a reason in accepted-changes.json:\n${reasons.join('')}`,
  );
  process.exitCode = 1;
} else {
  writeFileSync(join(folder, 'openapi.json'), `${JSON.stringify(document, undefined, 2)}\n`);
}
