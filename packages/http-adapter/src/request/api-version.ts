import type { FastifyRequest } from 'fastify';
import { responseTypeOf } from '../request-state.ts';
import { namesVersion } from '../route-config.ts';
import { isVersionedType } from './accept.ts';
import type { RequestFaults } from './request-faults.ts';

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

/** Checks `API-Version`: a version that does not exist, or another one than the path or `Accept` names. */
export function readApiVersion(request: FastifyRequest, faults: RequestFaults): void {
  const asked = request.headers['api-version'];
  if (asked === undefined || asked === VERSION) return;
  if (namesVersion(request) || isVersionedType(responseTypeOf(request))) {
    const message = `differs from the version that the path or Accept names, which is ${VERSION}`;
    faults.add('conflicting_parameters', 'API-Version', 'invalid_value', message);
  } else {
    faults.add('invalid_header', 'API-Version', 'invalid_value', `must be ${VERSION}`);
  }
}
