import type { Domain, OrderDefinition } from '@orders/domain';
import type { Result, ResultAsync } from 'neverthrow';

/** The errors of failed writes that the work of a transaction has accepted. */
const HANDLED = new WeakSet<object>();

interface WithError {
  orTee(accept: (error: unknown) => void): unknown;
}

/**
 * Accepts the failure of a use case in `database.transaction`, which may then commit without it. Returns the same result. It
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

/** Whether a value is a result, of any copy of neverthrow. */
export function isResult(value: unknown): value is Result<unknown, object> {
  return typeof value === 'object' && value !== null && 'isErr' in value && typeof value.isErr === 'function';
}
