import * as assert from './assertions.ts';
import type { TestRunner } from './contract-subject.ts';

/** What node:test and vitest pass to a test. */
interface TestContext {
  readonly skip?: (reason: string) => unknown;
}

/**
 * Returns a runner for the tests of a contract, and a function that watches its subject. A store whose method throws
 * synchronously would fail most of the tests, each in its own way. With these, the first of them fails and names the method;
 * the tests after it are skipped, or fail with the same sentence under a runner whose tests cannot be.
 */
export function stoppingAtThrows(runner: TestRunner) {
  let thrown: string | undefined;

  /** Returns a view of `store`, whose methods are called on the store itself. */
  const watchCalls = (path: string, store: object, stores: readonly string[]): object =>
    // Not a proxy of the store, which may be frozen.
    new Proxy<object>(
      {},
      {
        get: (_, name) => {
          const member: unknown = Reflect.get(store, name);
          if (stores.includes(String(name)) && typeof member === 'object' && member)
            return watchCalls(`${String(name)}.`, member, []);
          if (typeof member !== 'function') return member;
          return (...parameters: readonly unknown[]): unknown => {
            try {
              return Reflect.apply(member, store, parameters);
            } catch (cause) {
              thrown ??= `thrown synchronously by ${path}${String(name)}, which must return a ResultAsync that rejects: ${String(cause)}`;
              throw cause;
            }
          };
        },
      },
    );

  const stopping: TestRunner = {
    describe: runner.describe,
    it: (name, body) =>
      runner.it(name, async (...[context]: readonly TestContext[]) => {
        if (thrown !== undefined && context?.skip) return void context.skip(thrown);
        try {
          if (thrown === undefined) await body();
        } finally {
          // oxlint-disable-next-line no-unsafe-finally -- It is the cause of any other failure.
          if (thrown !== undefined) assert.fail(thrown);
        }
      }),
  };

  /** Watches a subject, and the stores that are its members of these names. */
  function watch<Subject extends object>(subject: Subject, ...stores: readonly (keyof Subject & string)[]): Subject;
  function watch(subject: object, ...stores: readonly string[]): object {
    return watchCalls('', subject, stores);
  }
  return { stopping, watch };
}
