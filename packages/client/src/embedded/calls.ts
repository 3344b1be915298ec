import { type ChangeOptions, type IdSource, type Owner, type WriteOptions, isIdempotencyKey } from '@orders/domain';
import { err, ok, type Result, ResultAsync } from 'neverthrow';
import { assertOptions } from '../calls/known-options.ts';
import type { OwnerCallOptions, OwnerChangeOptions, OwnerWriteOptions, OwnerWritten } from './client.ts';
import { type DomainError, toOwnerError } from './errors-of-domain.ts';

/** The members of {@link OwnerWriteOptions}. */
const WRITE_OPTIONS = ['idempotencyKey', 'signal'];

/** What every call of one owner needs. */
export interface OwnerContext {
  readonly owner: Owner;
  /** Makes the idempotency keys of writes that have none. */
  readonly ids: IdSource;
  /** Recorded with every change. */
  readonly actor: string | undefined;
}

/**
 * Runs a read, unless its signal is aborted.
 *
 * @throws {TypeError} an option is unknown
 */
export function readAs<T, E>(options: OwnerCallOptions, run: () => ResultAsync<T, DomainError>): ResultAsync<T, E> {
  assertOptions(options, ['signal']);
  if (options.signal?.aborted === true) return rejected<T, E>(ABORTED);
  return run().mapErr((error) => toOwnerError<E>(error));
}

/**
 * Runs a creation as {@link writeAs} does.
 *
 * @throws {TypeError} an option is unknown
 */
export function createAs<T extends { readonly replayed: boolean }, To, E>(
  context: OwnerContext,
  options: OwnerWriteOptions,
  run: (options: WriteOptions) => ResultAsync<T, DomainError>,
  present: (written: T) => To,
): ResultAsync<To & OwnerWritten, E> {
  assertOptions(options, WRITE_OPTIONS);
  return writeAs(context, options, run, present);
}

/**
 * Runs a write with an idempotency key, unless its signal is aborted.
 *
 * @throws {TypeError} an option is unknown
 */
export function writeAs<T extends { readonly replayed: boolean }, To, E>(
  { ids, actor }: OwnerContext,
  options: OwnerChangeOptions,
  run: (options: ChangeOptions) => ResultAsync<T, DomainError>,
  present: (written: T) => To,
): ResultAsync<To & OwnerWritten, E> {
  assertOptions(options, [...WRITE_OPTIONS, 'ifVersion']);
  const { idempotencyKey = ids.next(), ifVersion, signal } = options;
  if (!isIdempotencyKey(idempotencyKey)) return rejected<To & OwnerWritten, E>(INVALID_KEY);
  if (signal?.aborted === true)
    return rejected<To & OwnerWritten, E>({ ...ABORTED, outcome: 'unknown', idempotencyKey });
  // A creation expects no version, and rejects the member.
  return run({ idempotencyKey, actor, ...(ifVersion !== undefined && { ifVersion: [ifVersion] }) })
    .map((written) => ({ ...present(written), idempotencyKey, replayed: written.replayed }))
    .mapErr((error) => toOwnerError<E>(error, idempotencyKey));
}

const ABORTED = { type: 'unreachable', reason: 'aborted', status: null };
const INVALID_KEY = {
  type: 'validation_failed',
  errors: [{ field: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters', code: 'invalid_format' }],
};

function rejected<T, E>(error: object): ResultAsync<T, E>;
function rejected(error: object): ResultAsync<unknown, unknown> {
  return new ResultAsync(Promise.resolve(err(error)));
}

/** Maximum number of times that an update reads a resource and changes it. */
const UPDATES_MAX = 5;

/**
 * Reads a resource and changes it under the version that was read; again when another change came in between.
 *
 * @throws {TypeError} an option is unknown
 */
export function updateAs<
  T extends { readonly version: number },
  Patch,
  W,
  ReadE,
  WriteE extends { readonly type: string },
>(
  { ids }: OwnerContext,
  get: (options: OwnerCallOptions) => ResultAsync<T, ReadE>,
  decide: (before: T) => Patch,
  change: (patch: Patch, options: OwnerChangeOptions) => ResultAsync<W, WriteE>,
  options: OwnerWriteOptions,
): ResultAsync<W, ReadE | WriteE> {
  assertOptions(options, WRITE_OPTIONS);
  const { idempotencyKey = ids.next(), signal } = options;
  const run = async (): Promise<Result<W, ReadE | WriteE>> => {
    for (let round = 1; ; round += 1) {
      const before = await get({ signal });
      if (before.isErr()) return err(before.error);
      const changed = await change(decide(before.value), { idempotencyKey, signal, ifVersion: before.value.version });
      if (changed.isOk()) return ok(changed.value);
      if (changed.error.type !== 'precondition_failed' || round === UPDATES_MAX) return err(changed.error);
    }
  };
  return new ResultAsync(run());
}
