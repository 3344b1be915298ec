import type { Owner } from '@orders/domain';
import { errAsync, ResultAsync } from 'neverthrow';
import type { Problem } from '../../problems/problem.ts';

/** Maximum number of tests of one owner at a time. Each can take as long as an attempt. */
const TESTS_PER_OWNER_MAX = 2;

/** Runs the test of an endpoint for its owner, unless {@link TESTS_PER_OWNER_MAX} are running. */
export type RunTest = <T>(owner: Owner, test: () => ResultAsync<T, Problem>) => ResultAsync<T, Problem>;

/**
 * Limits the tests that run at a time, because a test of an endpoint that does not respond occupies a request in progress
 * for many seconds. The rate limit alone would admit a hundred of them at once.
 */
export function endpointTests(): RunTest {
  const running = new Map<Owner, number>();
  const count = (owner: Owner, change: 1 | -1): void => {
    const tests = (running.get(owner) ?? 0) + change;
    if (tests === 0) running.delete(owner);
    else running.set(owner, tests);
  };
  return (owner, test) => {
    if ((running.get(owner) ?? 0) >= TESTS_PER_OWNER_MAX) return errAsync(TOO_MANY_TESTS);
    count(owner, 1);
    const run = async () => {
      try {
        return await test();
      } finally {
        count(owner, -1);
      }
    };
    return new ResultAsync(run());
  };
}

const TOO_MANY_TESTS: Problem = {
  code: 'rate_limited',
  detail: `At most ${TESTS_PER_OWNER_MAX} of your webhook tests can run at a time.`,
  headers: { 'retry-after': '1' },
};
