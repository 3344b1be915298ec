import type { Authentication } from './authentication.ts';

/** `WWW-Authenticate` of every 401 that has none of its own: RFC 9110 section 15.5.2 requires it. */
export function challengeOf({ challenge }: Pick<Authentication, 'challenge'>): () => string {
  return challenge ?? (() => 'Orders realm="orders"');
}
