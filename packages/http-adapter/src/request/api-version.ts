import type { FastifyInstance } from 'fastify';

/** The only version. A path without a version segment always means this version. */
export const VERSION = '1';

/** Returns the paths of an operation: the canonical one with the version, and the one without. */
export function versionedPaths(path: string): readonly [canonical: string, unversioned: string] {
  return [canonicalPath(path), path];
}

/** Returns the path with the version, as in `Location`. */
export function canonicalPath(path: string): string {
  return `/v${VERSION}${path}`;
}

/** Returns the prefix of every path of the API, without a trailing slash. Fastify treats `/shop/` like `/shop`. */
export function prefixOf({ prefix }: FastifyInstance): string {
  return prefix.replace(/\/$/, '');
}
