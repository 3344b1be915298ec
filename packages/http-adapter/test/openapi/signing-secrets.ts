import { at, behindReferences, isRecord, membersOf } from '../fixtures/json.ts';

/** A secret that signs webhooks. */
const SIGNING_SECRET = /whsec_[A-Za-z0-9+/]{16}/;

/** Checks whether a text contains a secret that signs webhooks. */
export function containsSigningSecret(text: string): boolean {
  return SIGNING_SECRET.test(text);
}

/** Checks whether the document describes a response with a secret that signs webhooks. `place` is that of the response. */
export function mayContainSigningSecret(document: unknown, place: readonly string[]): boolean {
  return leadsToSecret(document, [...place, 'content'], new Set());
}

function leadsToSecret(document: unknown, place: readonly string[], seen: Set<string>): boolean {
  const target = behindReferences(document, ...place);
  const value = at(document, ...target);
  if (!isRecord(value) || seen.has(target.join('/'))) return false;
  seen.add(target.join('/'));
  const { pattern } = value;
  if (typeof pattern === 'string' && pattern.startsWith('^whsec_')) return true;
  return membersOf(value).some((name) => leadsToSecret(document, [...target, name], seen));
}
