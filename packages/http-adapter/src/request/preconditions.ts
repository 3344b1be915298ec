import type { ChangeOptions } from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import type { RequestFaults } from './request-faults.ts';

/** Which rendering of a resource this release writes; rises with every release that changes the bytes. */
const REPRESENTATION = 1;

/** The strong entity tag of a version (RFC 9110 section 8.8.3). */
export function entityTag(version: number): string {
  return `"${version}-${REPRESENTATION}"`;
}

const TAG = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;
/** A list of entity tags (RFC 9110 sections 5.6.1, 13.1). No text fits it in two ways, so none takes long to judge. */
const TAGS = new RegExp(`^[ \\t]*(?:,[ \\t]*)*${TAG.source}(?:[ \\t]*,(?:[ \\t]*${TAG.source})?)*[ \\t]*$`);

/** What `If-Match` and `If-None-Match` ask for, as versions: tags of other renderings match none. */
export function readPreconditions(request: FastifyRequest, faults: RequestFaults): ChangeOptions {
  const match = readTags(request, 'if-match', faults);
  const noneMatch = readTags(request, 'if-none-match', faults);
  return {
    // A weak tag never matches under If-Match, which compares strongly (RFC 9110 section 13.1.1).
    ifVersion: match === undefined || match === '*' ? undefined : versions(match.filter(({ weak }) => !weak)),
    unlessVersion: noneMatch === undefined ? undefined : noneMatch === '*' ? 'any' : versions(noneMatch),
  };
}

/** What the conditions of a read make of a version: another one than it asks for, or one that its client has. */
export type EvaluateConditions = (version: number) => 'mismatch' | 'not_modified' | 'wanted';

/** Reads the conditions of a read, in their order of precedence (RFC 9110 section 13.2.2). */
export function readConditions(request: FastifyRequest, faults: RequestFaults): EvaluateConditions {
  const { ifVersion, unlessVersion } = readPreconditions(request, faults);
  return (version) => {
    if (ifVersion?.includes(version) === false) return 'mismatch';
    return unlessVersion === 'any' || unlessVersion?.includes(version) === true ? 'not_modified' : 'wanted';
  };
}

/** White space around a header's value is spaces and tabs alone (RFC 9110 section 5.6.3). */
const ANY = /^[ \t]*\*[ \t]*$/;

interface Tag {
  readonly weak: boolean;
  readonly opaque: string;
}

function readTags(
  request: FastifyRequest,
  name: 'if-match' | 'if-none-match',
  faults: RequestFaults,
): '*' | readonly Tag[] | undefined {
  const header = request.headers[name];
  if (header === undefined) return undefined;
  const tags = parseTags(header);
  if (tags !== undefined) return tags;
  const spelling = name === 'if-match' ? 'If-Match' : 'If-None-Match';
  return faults.add('invalid_header', spelling, 'invalid_format', 'must be * or a list of quoted entity tags');
}

/** Whether `If-None-Match` names `etag`, by weak comparison (RFC 9110 section 13.1.2). A malformed one does not. */
export function hasTag(header: string | undefined, etag: string): boolean {
  const tags = header === undefined ? undefined : parseTags(header);
  return tags === '*' || tags?.some(({ opaque }) => `"${opaque}"` === etag) === true;
}

function parseTags(header: string): '*' | readonly Tag[] | undefined {
  if (ANY.test(header)) return '*';
  if (!TAGS.test(header)) return undefined;
  return [...header.matchAll(TAG)].map(([, weak, opaque = '']) => ({ weak: weak !== undefined, opaque }));
}

function versions(tags: readonly Tag[]): readonly number[] {
  return tags.flatMap(({ opaque }) => {
    const version = Number.parseInt(opaque, 10);
    // Tags are compared as text: `1-01` is not `1-1`.
    return entityTag(version) === `"${opaque}"` ? [version] : [];
  });
}
