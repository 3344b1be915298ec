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
/** A list of entity tags (RFC 9110 sections 5.6.1 and 13.1). No text fits it in two ways, so none takes long to judge. */
const TAGS = new RegExp(`^[ \\t]*(?:,[ \\t]*)*${TAG.source}(?:[ \\t]*,(?:[ \\t]*${TAG.source})?)*[ \\t]*$`);

/** What `If-Match` and `If-None-Match` ask of a write, as versions: tags of other renderings match none. */
export function readPreconditions(request: FastifyRequest, faults: RequestFaults): ChangeOptions {
  const match = readTags(request, 'if-match', faults);
  const noneMatch = readTags(request, 'if-none-match', faults);
  return {
    // A weak tag never matches under If-Match, which compares strongly (RFC 9110 section 13.1.1).
    ifVersion: match === undefined || match === '*' ? undefined : versions(match.filter(({ weak }) => !weak)),
    unlessVersion: noneMatch === undefined ? undefined : noneMatch === '*' ? 'any' : versions(noneMatch),
  };
}

/** Whether the client of a read has this version already (RFC 9110 section 13.1.2, weak comparison). */
export function isNotModified(request: FastifyRequest, faults: RequestFaults): (version: number) => boolean {
  const tags = readTags(request, 'if-none-match', faults);
  if (tags === undefined) return () => false;
  return (version) => tags === '*' || versions(tags).includes(version);
}

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
  if (header.trim() === '*') return '*';
  if (!TAGS.test(header)) {
    const spelling = name === 'if-match' ? 'If-Match' : 'If-None-Match';
    return faults.add('invalid_header', spelling, 'invalid_format', 'must be * or a list of entity tags in quotes');
  }
  return [...header.matchAll(TAG)].map(([, weak, opaque = '']) => ({ weak: weak !== undefined, opaque }));
}

function versions(tags: readonly Tag[]): readonly number[] {
  return tags.flatMap(({ opaque }) => {
    const version = Number.parseInt(opaque, 10);
    // Tags are compared as text: `1-01` is not `1-1`.
    return entityTag(version) === `"${opaque}"` ? [version] : [];
  });
}
