import type { ChangeOptions as DomainOptions, Owner } from '@orders/domain';
import { errAsync, type ResultAsync } from 'neverthrow';
import { keyOf } from '../calls/keys.ts';
import { assertOptions, signalOf, WRITE_OPTIONS } from '../calls/known-options.ts';
import { trusted } from '../calls/trusted.ts';
import type { Definition } from '../definition.ts';
import type { Unreachable } from '../errors.ts';
import type { ChangeOptions, RequestOptions, WriteOptions, Written } from '../options.ts';
import { type AnyError, type DomainErrorOf, toClientError } from './errors.ts';

/** The definition of orders whose members the compiler does not know. */
export interface AnyDefinition extends Definition {
  readonly custom: null;
}

/** What every call of one owner needs. */
export interface OwnerContext {
  readonly owner: Owner;
  /** Recorded with every change. */
  readonly actor: string | undefined;
}

const ABORTED: Unreachable = { type: 'unreachable', reason: 'aborted', status: null };

/**
 * Runs a read, unless its signal is aborted.
 *
 * @throws {TypeError} an option is unknown
 */
export function read<T, E extends AnyError>(
  options: RequestOptions,
  run: () => ResultAsync<T, DomainErrorOf<E>>,
): ResultAsync<T, E> {
  if (signalOf(options)?.aborted === true) return errAsync(trusted<E>(ABORTED));
  return run().mapErr((error) => toClientError<E>(error));
}

/**
 * Runs a creation as {@link write} does.
 *
 * @throws {TypeError} an option is unknown
 */
export function create<T extends { readonly replayed: boolean }, To, E extends AnyError>(
  context: OwnerContext,
  options: WriteOptions,
  run: (options: DomainOptions) => ResultAsync<T, DomainErrorOf<E>>,
  present: (written: T) => To,
): ResultAsync<To & Written, E> {
  assertOptions(options, WRITE_OPTIONS);
  return write(context, options, run, present);
}

/**
 * Runs a write with an idempotency key, unless its signal is aborted.
 *
 * @throws {TypeError} an option is unknown
 */
export function write<T extends { readonly replayed: boolean }, To, E extends AnyError>(
  { actor }: OwnerContext,
  options: ChangeOptions,
  run: (options: DomainOptions) => ResultAsync<T, DomainErrorOf<E>>,
  present: (written: T) => To,
): ResultAsync<To & Written, E> {
  assertOptions(options, [...WRITE_OPTIONS, 'ifVersion']);
  const { ifVersion, signal } = options;
  const key = keyOf(options);
  if (key.isErr()) return errAsync(trusted<E>(key.error));
  const idempotencyKey = key.value;
  if (signal?.aborted === true) return errAsync(trusted<E>({ ...ABORTED, outcome: 'unknown', idempotencyKey }));
  // A creation expects no version, and rejects the member.
  return run({ idempotencyKey, actor, ...(ifVersion !== undefined && { ifVersion: [ifVersion] }) })
    .map((written) => ({ ...present(written), idempotencyKey, replayed: written.replayed }))
    .mapErr((error) => toClientError<E>(error, idempotencyKey));
}
