import { type Clock, type Timestamp, toTimestamp } from './clock.ts';
import { isPlainObject } from './validation.ts';

/** A day. */
export const IDEMPOTENCY_TTL_MS_DEFAULT = 24 * 60 * 60 * 1000;

/** What a caller may say of a write besides its values. */
export interface WriteOptions {
  /** Makes the write happen once: 1 to 255 visible ASCII characters, unique per owner. */
  readonly idempotencyKey?: string | undefined;
}

/**
 * Makes a write happen once however often it is asked for. The adapter records the result under `key` in the same
 * transaction as the change and answers a repeat with what it recorded.
 */
export interface Idempotency {
  /** Chosen by the caller, unique per owner, 1 to 255 visible ASCII characters. */
  readonly key: string;
  /** The canonical text of the command. A repeat has the same one; an adapter may keep a digest of it instead. */
  readonly fingerprint: string;
  readonly now: Timestamp;
  /** From then on the key counts as unused, whether its record has been purged or not. Later than `now`. */
  readonly expires_at: Timestamp;
}

/** The key belongs to another command. */
export interface KeyReused {
  readonly type: 'idempotency_key_reused';
}

/** The record that a write with a key leaves, from now on. */
export function idempotencyFor(
  ports: { readonly clock: Clock; readonly idempotencyTtlMs?: number | undefined },
  options: WriteOptions,
  fingerprint: () => string,
): Idempotency | undefined {
  if (options.idempotencyKey === undefined) return undefined;
  const now = ports.clock.now().getTime();
  const ttl = ports.idempotencyTtlMs ?? IDEMPOTENCY_TTL_MS_DEFAULT;
  return {
    key: options.idempotencyKey,
    fingerprint: fingerprint(),
    now: toTimestamp(now),
    expires_at: toTimestamp(now + ttl),
  };
}

/**
 * A command to make something, for its fingerprint: null says the same as nothing, and a field that joins later must not
 * make another command of one that does without it.
 */
export function omitNulls(command: object): object {
  return Object.fromEntries(Object.entries(command).filter(([, value]) => value !== null));
}

/** The canonical text of a command: equal for equal values whatever the order of their members. */
export function createFingerprint(operation: string, ...values: readonly unknown[]): string {
  return JSON.stringify([operation, ...values.map(canonical)]);
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (!isPlainObject(value)) return value;
  // Pairs, not an object: an object would put keys that look like integers first again.
  return Object.keys(value)
    .toSorted()
    .map((key) => [key, canonical(value[key])]);
}
