import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { membersOf } from './json-values.ts';

/** Returns the path of the document of the last release, given the folder of the package. */
export function releasedFile(folder: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, `released/openapi-${String(membersOf(manifest)['version'])}.json`);
}
