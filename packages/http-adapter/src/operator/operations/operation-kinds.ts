import { type Result, ResultAsync } from 'neverthrow';
import type { Problem } from '../../problems/problem.ts';

/** What an operation is that is about no owner, changes nothing and has no personal data. */
export const OF_NO_OWNER = { about: 'none', changes: false, reveals: () => false } as const;

/** Returns what is known already as the result of work. */
export function settled<T>(result: Result<T, Problem>): ResultAsync<T, Problem> {
  return new ResultAsync(Promise.resolve(result));
}
