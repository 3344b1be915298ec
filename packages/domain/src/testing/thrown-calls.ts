import * as assert from './assertions.ts';
import type { TestRunner } from './contract-subject.ts';

/** What node:test and vitest pass to a test. */
interface TestContext {
  readonly skip?: (reason: string) => unknown;
}

/**
 * Returns a runner for the tests of a contract, and a function that watches its subject. One mistake in a store would fail most
 * of the tests, each in its own way. With these, the first of them fails, and names a method that throws synchronously; the tests
 * after it are skipped. A runner whose tests cannot be skipped runs them, unless a method has thrown, which fails them all.
 */
export function stoppingAtFailure(runner: TestRunner) {
  let thrown: string | undefined;
  let failed: string | undefined;

  /** Returns a view of `store`, whose methods are called on the store itself. */
  const watchCalls = (path: string, store: object): object =>
    // Not a proxy of the store, which may be frozen.
    new Proxy<object>(
      {},
      {
        get: (_, name) => {
          const member: unknown = Reflect.get(store, name);
          if (path === '' && typeof member === 'object' && member) return watchCalls(`${String(name)}.`, member);
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
        if (failed !== undefined && context?.skip) return void context.skip(thrown ?? failed);
        try {
          if (thrown === undefined) await body();
        } catch (cause) {
          failed ??= `a test before has failed: ${name}`;
          throw cause;
        } finally {
          // oxlint-disable-next-line no-unsafe-finally -- It is the cause of any other failure.
          if (thrown !== undefined) assert.fail(thrown);
        }
      }),
  };

  /** Watches a subject, and the ports that are its members. */
  function watch<Subject extends object>(subject: Subject): Subject;
  function watch(subject: object): object {
    return watchCalls('', subject);
  }
  return { stopping, watch };
}
