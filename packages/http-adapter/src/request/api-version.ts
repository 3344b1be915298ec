import type { FastifyInstance } from 'fastify';

/** The one version there is. Its segment may be left out, for good: a path without one means this version. */
export const VERSION = '1';

/** Every path of an operation: with the version, which is the one that responses name, and without. */
export function versionedPaths(path: string): readonly [canonical: string, unversioned: string] {
  return [canonicalPath(path), path];
}

/** The path that `Location` names. */
export function canonicalPath(path: string): string {
  return `/v${VERSION}${path}`;
}

/** The prefix of every path of the API, to be followed by a slash: Fastify takes `/shop/` for `/shop`. */
export function prefixOf({ prefix }: FastifyInstance): string {
  return prefix.replace(/\/$/, '');
}
