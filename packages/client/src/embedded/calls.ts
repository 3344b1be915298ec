import type { ChangeOptions as DomainOptions, Owner, Page as DomainPage, Position } from '@orders/domain';
import { errAsync, type ResultAsync } from 'neverthrow';
import { asSent } from '../calls/json.ts';
import { keyOf, userOf } from '../calls/keys.ts';
import { assertOptions, signalOf, WRITE_OPTIONS } from '../calls/known-options.ts';
import { uncheckedCast } from '../calls/unchecked-cast.ts';
import type { Definition } from '../definition.ts';
import type { Unreachable } from '../errors.ts';
import { type Listing, listing, type PageQuery } from '../listing.ts';
import type { ChangeOptions, RequestOptions, WriteOptions, Written } from '../options.ts';
import { type AnyError, type DomainErrorOf, toClientError } from './errors.ts';
import { type Cursors, toPage } from './pages.ts';

/** The definition of orders whose members the compiler does not know. */
export interface AnyDefinition extends Definition {
  readonly custom: null;
}

/** Returns what a deletion has beside its key: nothing. */
export const nothing = (): object => ({});

/** Returns an element of a list that the client has as the domain has it. */
export const unchanged = <T>(element: T): T => element;

/** What every call of one owner needs. */
export interface OwnerContext {
  readonly owner: Owner;
  /** Recorded with every change, as the user is, unless a call names another one. */
  readonly actor: string | undefined;
  readonly externalUserId: string | undefined;
}

/** The error of a call whose signal was aborted before it began. */
export const ABORTED: Unreachable = { type: 'unreachable', reason: 'aborted', status: null };

/**
 * Runs a read, unless its signal is aborted.
 *
 * @throws {TypeError} an option is unknown
 */
export function read<T, E extends AnyError>(
  options: RequestOptions,
  run: () => ResultAsync<T, DomainErrorOf<E>>,
): ResultAsync<T, E> {
  if (signalOf(options)?.aborted === true) return errAsync(uncheckedCast<E>(ABORTED));
  return run().mapErr((error) => toClientError<E>(error));
}

/** Lists what a use case returns, page by page. */
export function list<
  Query extends PageQuery & RequestOptions,
  Value extends string | number,
  From,
  To,
  E extends AnyError,
>(
  cursors: Cursors<Value>,
  query: Query,
  run: (
    query: Omit<Query, 'after' | 'signal'> & { readonly after: Position<Value> | undefined },
  ) => ResultAsync<DomainPage<From, Value>, DomainErrorOf<E>>,
  present: (element: From) => To,
): Listing<To, E> {
  const readPage = ({ signal, after, ...rest }: Query) =>
    read({ signal }, () =>
      run({ ...asSent(rest), after: cursors.decode(after) }).map((page) => toPage(page, present, cursors)),
    );
  return listing(readPage, query);
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
  context: OwnerContext,
  options: ChangeOptions,
  run: (options: DomainOptions) => ResultAsync<T, DomainErrorOf<E>>,
  present: (written: T) => To,
): ResultAsync<To & Written, E> {
  assertOptions(options, [...WRITE_OPTIONS, 'ifVersion']);
  const { ifVersion, signal } = options;
  const key = keyOf(options);
  if (key.isErr()) return errAsync(uncheckedCast<E>(key.error));
  const idempotencyKey = key.value;
  const user = userOf(options, context);
  if (user.isErr()) return errAsync(uncheckedCast<E>(user.error));
  const author = { actor: context.actor, externalUserId: user.value };
  if (signal?.aborted === true) return errAsync(uncheckedCast<E>({ ...ABORTED, outcome: 'unknown', idempotencyKey }));
  // A creation expects no version, and rejects the member.
  return run({ idempotencyKey, ...author, ...(ifVersion !== undefined && { ifVersion: [ifVersion] }) })
    .map((written) => ({ ...present(written), idempotencyKey, replayed: written.replayed }))
    .mapErr((error) => toClientError<E>(error, idempotencyKey));
}
