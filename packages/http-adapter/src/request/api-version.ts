import type { FastifyInstance, FastifyRequest } from 'fastify';
import { namesVersion, responseTypeOf } from '../request-state.ts';
import { isVersionedType } from './media-types.ts';

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

/** Checks `API-Version`; returns a fault for a nonexistent version, or another one than the path or `Accept` names. */
export function apiVersionFault(
  request: FastifyRequest,
): { readonly code: 'conflicting_parameters' | 'invalid_header'; readonly message: string } | undefined {
  const version = request.headers['api-version'];
  if (version === undefined || version === VERSION) return undefined;
  if (!namesVersion(request) && !isVersionedType(responseTypeOf(request))) {
    return { code: 'invalid_header', message: `must be ${VERSION}` };
  }
  const message = `must be ${VERSION}, the version in the path or Accept`;
  return { code: 'conflicting_parameters', message };
}
