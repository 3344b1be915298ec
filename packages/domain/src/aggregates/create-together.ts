import { err, type Result, type ResultAsync } from 'neverthrow';
import type { Owner } from '../shared/ids.ts';
import type { InternalError } from '../shared/unavailable.ts';
import type { AggregateStore, Conflict, CreateOf } from './aggregate-store.ts';

/** Maximum number of orders or customers that are placed or imported together. */
export const BATCH_MAX = 100;

/**
 * Validates the number of inputs of a batch.
 *
 * @throws {RangeError} there are more than {@link BATCH_MAX}
 */
export function assertBatch(inputs: readonly unknown[]): void {
  if (inputs.length > BATCH_MAX) throw new RangeError(`a batch has at most ${BATCH_MAX} inputs, got ${inputs.length}`);
}

/** Runs what concerns one input. What it throws is the error of this input, so that the others keep their results. */
export function caught<T, F>(run: () => Result<T, F>): Result<T, F | InternalError> {
  try {
    return run();
  } catch (cause) {
    return err({ type: 'internal_error', cause });
  }
}

async function caughtLater<T, F>(run: () => PromiseLike<Result<T, F>>): Promise<Result<T, F | InternalError>> {
  try {
    return await run();
  } catch (cause) {
    return err({ type: 'internal_error', cause });
  }
}

/** What a store made of a create: stored it, or rejected it; `null` if it left it. */
export type Committed<A, Refused> = Result<null, Conflict<A, Refused>> | null;

/** Stores creates together, as far as the store can, and returns what it made of each. A failure is that of each alone. */
export async function commitTogether<A, E, Refused>(
  { commitAll }: Pick<AggregateStore<A, E, Refused>, 'commitAll'>,
  owner: Owner,
  writes: readonly CreateOf<A, E>[],
  isWhole = false,
): Promise<readonly Committed<A, Refused>[]> {
  const none = writes.map(() => null);
  if (writes.length < 2 || !commitAll) return none;
  return (await caughtLater(() => commitAll(owner, writes, isWhole))).unwrapOr(none);
}

/**
 * Returns each result, in their order: it is known, or that of what is done then, one after the other. After one that found
 * the store unavailable, the others are not tried. With `stopsOnError`, the results end with the first error.
 */
export async function oneByOne<T, F extends { readonly type: string }>(
  results: readonly (Result<T, F> | (() => ResultAsync<T, F>))[],
  stopsOnError = false,
): Promise<readonly Result<T, F | InternalError>[]> {
  const settled: Result<T, F | InternalError>[] = [];
  let failure: F | InternalError | null = null;
  for (const known of results) {
    const isKnown = typeof known !== 'function';
    const result: Result<T, F | InternalError> = isKnown ? known : failure ? err(failure) : await caughtLater(known);
    if (!isKnown && result.isErr() && result.error.type === 'unavailable') failure = result.error;
    settled.push(result);
    if (result.isErr() && stopsOnError) break;
  }
  return settled;
}

/** Returns the results of inputs in their order, of which the valid ones have those in `results`. */
export function inOrder<T, Invalid, F>(
  prepared: readonly Result<unknown, Invalid>[],
  results: readonly Result<T, F>[],
): readonly Result<T, Invalid | F>[] {
  const rest = results.values();
  return prepared.map((each) => (each.isErr() ? err(each.error) : next(rest)));
}

/** Returns the only result. */
export function onlyResult<T, F>(results: readonly Result<T, F>[]): Result<T, F> {
  return next(results.values());
}

/** Returns the next element, which must exist. */
function next<T>(elements: Iterator<T, undefined>): T {
  const { value } = elements.next();
  if (value === undefined) throw new Error('a create has no result');
  return value;
}
