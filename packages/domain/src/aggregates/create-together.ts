import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import type { Owner } from '../shared/ids.ts';
import type { InternalError } from '../shared/unavailable.ts';
import type { AggregateStore, CreateOf } from './aggregate-store.ts';
import type { Written } from './write-aggregate.ts';

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

/** A create, and how to try it alone. */
export interface Create<A, E, T, F> {
  readonly write: CreateOf<A, E>;
  /** Returns the result of the write that was stored together with others. */
  readonly present: (written: Written<A, E>) => T;
  readonly alone: () => ResultAsync<T, F>;
}

/**
 * Stores creates in one write if none of them conflicts, and one after the other if one does. Returns the result of each, in
 * their order. After one that found the store unavailable, the others are not tried. With `stopsOnError`, the results end
 * with the first error.
 */
export async function createTogether<A, E, T, F extends { readonly type: string }>(
  store: Pick<AggregateStore<A, E, unknown>, 'commitAll'>,
  owner: Owner,
  creates: readonly Create<A, E, T, F>[],
  stopsOnError = false,
): Promise<readonly Result<T, F | InternalError>[]> {
  const { commitAll } = store;
  if (creates.length > 1 && commitAll) {
    const writes = creates.map(({ write }) => write);
    const areStored = await caughtLater(() => commitAll(owner, writes));
    // A failure is that of each, which is tried alone.
    if (areStored.unwrapOr(false))
      return creates.map(({ write: { after: aggregate, event }, present }) =>
        caught(() => ok(present({ aggregate, event, replayed: false }))),
      );
  }
  const results: Result<T, F | InternalError>[] = [];
  let failure: F | InternalError | null = null;
  for (const { alone } of creates) {
    const result: Result<T, F | InternalError> = failure ? err(failure) : await caughtLater(alone);
    if (result.isErr() && result.error.type === 'unavailable') failure = result.error;
    results.push(result);
    if (result.isErr() && stopsOnError) break;
  }
  return results;
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
