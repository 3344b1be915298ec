import type { ChangeOptions } from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import type { RequestFaults } from './request-faults.ts';

/** The number of the representation. It rises with every release that changes the bytes of a resource. */
const REPRESENTATION = 1;

/**
 * The member of `Cache-Control` beside every tag: a proxy that compressed the body would change the tag, or make it weak
 * (RFC 9110 section 7.7).
 */
export const NO_TRANSFORM = 'no-transform';

/** Returns the strong entity tag of a version (RFC 9110 section 8.8.3). */
export function entityTag(version: number): string {
  return `"${version}-${REPRESENTATION}"`;
}

/** Returns the entity tag of a version whose representation changes once more, so that it matches no version then. */
export function unfinishedTag(version: number): string {
  return `"${version}-0"`;
}

const TAG = /(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;
/** A list of entity tags (RFC 9110 sections 5.6.1 and 13.1). Unambiguous, so matching takes linear time. */
const TAGS = new RegExp(`^[ \\t]*(?:,[ \\t]*)*${TAG.source}(?:[ \\t]*,(?:[ \\t]*${TAG.source})?)*[ \\t]*$`);

/** Parses `If-Match` and `If-None-Match` into versions. Tags of other representations match no version. */
export function readPreconditions(request: FastifyRequest, faults: RequestFaults): ChangeOptions {
  const match = readTags(request, 'if-match', faults);
  const noneMatch = readTags(request, 'if-none-match', faults);
  return {
    ifVersion: match === undefined || match === '*' ? undefined : versions(match),
    unlessVersion: noneMatch === undefined ? undefined : noneMatch === '*' ? 'any' : versions(noneMatch),
  };
}

/** Evaluates the conditions of a read for the current version of the resource. */
export type EvaluateConditions = (version: number) => 'mismatch' | 'not_modified' | 'wanted';

/** Parses the conditions of a read. They are evaluated in the order of RFC 9110 section 13.2.2. */
export function readConditions(request: FastifyRequest, faults: RequestFaults): EvaluateConditions {
  const { ifVersion, unlessVersion } = readPreconditions(request, faults);
  return (version) => {
    if (ifVersion?.includes(version) === false) return 'mismatch';
    return unlessVersion === 'any' || unlessVersion?.includes(version) === true ? 'not_modified' : 'wanted';
  };
}

/** Optional white space around a header value is spaces and tabs only (RFC 9110 section 5.6.3). */
const ANY = /^[ \t]*\*[ \t]*$/;

function readTags(
  request: FastifyRequest,
  name: 'if-match' | 'if-none-match',
  faults: RequestFaults,
): '*' | readonly string[] | undefined {
  const header = request.headers[name];
  if (header === undefined) return undefined;
  const tags = parseTags(header);
  if (tags !== undefined) return tags;
  const spelling = name === 'if-match' ? 'If-Match' : 'If-None-Match';
  return faults.add('invalid_header', spelling, 'invalid_format', 'must be * or a list of quoted entity tags');
}

/** Whether `If-None-Match` contains `etag`, by weak comparison (RFC 9110 section 13.1.2). False if it is malformed. */
export function hasTag(header: string | undefined, etag: string): boolean {
  const tags = header === undefined ? undefined : parseTags(header);
  return tags === '*' || tags?.some((opaque) => `"${opaque}"` === etag) === true;
}

/** Returns what is between the quotes of each tag: no comparison distinguishes weak and strong ones (ADR 40). */
function parseTags(header: string): '*' | readonly string[] | undefined {
  if (ANY.test(header)) return '*';
  if (!TAGS.test(header)) return undefined;
  return [...header.matchAll(TAG)].map(([, opaque = '']) => opaque);
}

/**
 * What a proxy that compresses appends to the tag of a response: `-gzip` or `-br` (Apache, Caddy), `--gzip` (Jetty), `;gz`
 * (LiteSpeed). It names the coding of the bytes, and the tag before it the version.
 */
const CODING = /(?:--?|;)[a-z]+$/;

function versions(tags: readonly string[]): readonly number[] {
  return tags.flatMap((opaque) => {
    const version = Number.parseInt(opaque, 10);
    // Tags are compared as text, so `1-01` does not match `1-1`.
    return entityTag(version) === `"${opaque.replace(CODING, '')}"` ? [version] : [];
  });
}
