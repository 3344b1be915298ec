import { type Clock, type Timestamp, toTimestamp } from './clock.ts';
import { isPlainObject } from './validation.ts';
import type { WriteOptions } from './write-options.ts';

/** Default time until an idempotency key expires: one day, in milliseconds. */
export const IDEMPOTENCY_TTL_MS_DEFAULT = 24 * 60 * 60 * 1000;

/**
 * The idempotency key of a write, with the data that its record needs. The adapter records under `key` which version the
 * write made, in the transaction of the write. A retry with the same key returns that version and changes nothing.
 */
export interface Idempotency {
  /** Chosen by the caller, unique per owner, 1 to 255 visible ASCII characters. */
  readonly key: string;
  /** Canonical text of the command, equal for every retry. An adapter may store a digest of it instead. */
  readonly fingerprint: string;
  readonly now: Timestamp;
  /** When the key expires and counts as unused, even if its record is not purged yet. Later than `now`. */
  readonly expires_at: Timestamp;
}

/** Error: the idempotency key was already used for another command. */
export interface KeyReused {
  readonly type: 'idempotency_key_reused';
}

/**
 * Returns the {@link Idempotency} of a write, which expires `ports.idempotencyTtlMs` from now, or `undefined` without
 * an idempotency key. Operation and values are the command.
 */
export function idempotencyFor(
  ports: { readonly clock: Clock; readonly idempotencyTtlMs?: number | undefined },
  options: WriteOptions,
  operation: string,
  ...values: readonly unknown[]
): Idempotency | undefined {
  if (options.idempotencyKey === undefined) return undefined;
  const now = ports.clock.now().getTime();
  const ttl = ports.idempotencyTtlMs ?? IDEMPOTENCY_TTL_MS_DEFAULT;
  return {
    key: options.idempotencyKey,
    fingerprint: fingerprint(operation, values),
    now: toTimestamp(now),
    expires_at: toTimestamp(now + ttl),
  };
}

/**
 * Returns a copy of `command` without members that are `null` or an empty object, for the fingerprint of a creation. There
 * such and an absent member mean the same, and a field that a later version adds must not change the fingerprint of existing
 * commands. Nor do they count in the objects of a command; what a list has is read to the same form each time.
 */
export function omitUnset(command: object): object {
  const given: [string, unknown][] = [];
  for (const [name, value] of Object.entries(command)) {
    const member: unknown = isPlainObject(value) ? omitUnset(value) : value;
    if (member !== null && !(isPlainObject(member) && Object.keys(member).length === 0)) given.push([name, member]);
  }
  return Object.fromEntries(given);
}

/** Returns the canonical text of a command. Equal values, and only these, have equal text, whatever the order of their members. */
function fingerprint(operation: string, values: readonly unknown[]): string {
  return JSON.stringify([operation, ...values.map(canonicalize)]);
}

/** Begins the list of the members of an object. Nothing else in a canonical text is an object, so that no other list begins so. */
const MEMBERS = {};

function canonicalize(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonicalize);
  if (!isPlainObject(value)) return value;
  // A list, because an object would move keys that look like integers to the front.
  const members: unknown[] = [MEMBERS];
  for (const key of Object.keys(value).toSorted()) members.push(key, canonicalize(value[key]));
  return members;
}
