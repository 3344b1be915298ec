import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { membersOf } from './json-values.ts';

/** Returns the path of the document of the last release, given the folder of the package. */
export function releasedFile(folder: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, `released/openapi-${String(membersOf(manifest)['version'])}.json`);
}

/**
 * Returns the accepted changes since the last release that break clients by the rules of the check, each with its reason.
 * They are kept beside the document of the release, which the next release replaces.
 */
export function acceptedChanges(folder: string): unknown {
  const file = join(folder, 'released/accepted-changes.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
}
