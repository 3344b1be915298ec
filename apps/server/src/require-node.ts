import { readFileSync } from 'node:fs';

/** What this program reads of its package, which is beside the folder of its sources, compiled files or bundle. */
interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
}

/** Returns the release of this program, and of Node.js that it needs. */
export function readManifest(): Manifest {
  const parsed: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  if (!isManifest(parsed)) throw new TypeError('package.json lacks the version of the program or of Node.js');
  return parsed;
}

function isManifest(value: unknown): value is Manifest {
  if (typeof value !== 'object' || value === null || !('version' in value) || !('engines' in value)) return false;
  return typeof value.engines === 'object' && value.engines !== null && 'node' in value.engines;
}

/**
 * Ends the process unless its Node.js is recent enough. A program calls this before it imports anything else: an older
 * release cannot parse the rest, and would print a syntax error.
 */
export function requireNode(release = process.versions.node): void {
  const { node } = readManifest().engines;
  if (Number.parseInt(release, 10) >= Number.parseInt(node.replace('>=', ''), 10)) return;
  console.error(`orders: Node.js ${node.replace('>=', '')} or later is required; this is ${release}`);
  process.exit(1);
}
