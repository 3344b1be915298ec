import type { Result, ResultAsync } from 'neverthrow';
import type { Domain } from './domain.ts';
import type { OrderDefinition } from './orders/definition/order-definition.ts';

/** The value that the work of a transaction returns in its `ok()`. */
export type OkOf<R> = Awaited<R> extends Result<infer T, unknown> ? T : never;
/** The error that the work of a transaction returns in its `err()`. */
export type ErrOf<R> = Awaited<R> extends Result<unknown, infer E> ? E : never;

/** What the work of a transaction returns: a promise of a result. The compiler shows the message for anything else. */
export type Work<R> = Awaited<R> extends Result<unknown, unknown> ? R : 'return a promise of ok(…) or err(…)';

/** The errors of failed writes that the work of a transaction has accepted. */
const HANDLED = new WeakSet<object>();

interface WithError {
  orTee(accept: (error: unknown) => void): unknown;
}

/**
 * Accepts the failure of a use case in a transaction, which may then commit without it. Returns the same result. It
 * takes what the use case has returned, before its error is mapped to another.
 */
export function handled<R extends Result<unknown, unknown> | ResultAsync<unknown, unknown>>(result: R): R;
export function handled(result: WithError): unknown {
  return result.orTee((error) => {
    if (typeof error === 'object' && error !== null) HANDLED.add(error);
  });
}

/** A write of a transaction that has failed. */
interface FailedWrite {
  readonly name: string;
  readonly error: object;
}

type UseCase = (...input: readonly unknown[]) => ResultAsync<unknown, { readonly type: string }>;

/** The names of use cases that only read begin so. */
const READS = /^(?:get|list|search|read)/;

/** The use cases of a transaction, whose failed writes are counted. */
export interface CountedWrites<D extends OrderDefinition> {
  readonly domain: Domain<D>;
  /** @throws {TypeError} a failed write was not passed to {@link handled} */
  readonly assertHandled: () => void;
}

/** Counts the failed writes of these use cases. */
export function countWrites<D extends OrderDefinition>(domain: Domain<D>): CountedWrites<D> {
  const failed: FailedWrite[] = [];
  const counted = (name: string, useCase: UseCase): UseCase => {
    // Another object each time: two writes may fail with the same one.
    const count = (error: object): object => {
      const own = { ...error };
      failed.push({ name, error: own });
      return own;
    };
    const countEach = (value: unknown): unknown =>
      Array.isArray(value) ? value.map((one: unknown) => (isResult(one) ? one.mapErr(count) : one)) : value;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a copy of an error has its type
    return ((...input) =>
      useCase(...input)
        .map(countEach)
        .mapErr(count)) as UseCase;
  };
  const members: readonly (readonly [string, unknown])[] = Object.entries(domain);
  const own = members.map(([name, member]) => [
    name,
    isUseCase(member) && !READS.test(name) ? counted(name, member) : member,
  ]);
  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same members
    domain: Object.fromEntries(own) as Domain<D>,
    assertHandled: () => {
      const [ignored] = failed.filter(({ error }) => !HANDLED.has(error));
      if (!ignored) return;
      const type = 'type' in ignored.error ? String(ignored.error.type) : 'an error';
      throw new TypeError(
        `${ignored.name} failed with ${type}: return err() with it, or pass its result to handled() to commit without it`,
      );
    },
  };
}

function isUseCase(member: unknown): member is UseCase {
  return typeof member === 'function';
}

/** What the use of another domain inside a transaction throws. */
export const INSIDE_TRANSACTION =
  'inside a transaction use the domain that it passes: another one is not part of the transaction';

/**
 * Returns what the work of a transaction has returned, if it is a result.
 *
 * @throws {TypeError} it is anything else, from which it is unknown whether to commit
 */
export function assertResult(returned: unknown): Result<unknown, object> {
  if (isResult(returned)) return returned;
  throw new TypeError('the work of a transaction must return ok() to commit, or err() to roll back');
}

/** Whether a value is a result, of any copy of neverthrow. */
export function isResult(value: unknown): value is Result<unknown, object> {
  return typeof value === 'object' && value !== null && 'isErr' in value && typeof value.isErr === 'function';
}
