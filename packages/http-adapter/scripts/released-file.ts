import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { forbiddenChanges, staleAcceptances } from './forbidden-changes.ts';
import { membersOf } from './json-values.ts';

/** Returns the path of the document of the last release, given the folder of the package. */
export function releasedFile(folder: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, `released/openapi-${String(membersOf(manifest)['version'])}.json`);
}

/**
 * Returns what keeps a document from replacing that of the last release: changes that break clients, and accepted changes
 * that it does not have. Nothing does before the first release, when the folder `released` does not exist.
 *
 * The accepted changes break clients by the rules of the check, and each has a reason. They are kept beside the document
 * of the release, which the next release replaces.
 *
 * @throws the folder exists without the document of the version in package.json
 */
export function faultsSinceRelease(folder: string, document: unknown): readonly string[] {
  const file = releasedFile(folder);
  if (!existsSync(dirname(file))) return [];
  const released: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const list = join(dirname(file), 'accepted-changes.json');
  const accepted: unknown = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : [];
  const stale = staleAcceptances(released, document, accepted);
  return [
    ...forbiddenChanges(released, document, accepted),
    ...stale.map((name) => `${name} is accepted and did not happen`),
  ];
}
