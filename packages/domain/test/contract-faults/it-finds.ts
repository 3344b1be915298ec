import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import type { Fault } from './fault.ts';
import type * as FaultyStore from './faulty-store.ts';

// Read by Node.js, and the kit with it, as it can have a module several times.
const load: (file: string) => typeof FaultyStore = createRequire(import.meta.url);
export const store = load('./faulty-store.ts');

type Tests = ReturnType<typeof store.backlogTestsOf>;

/** Registers tests that contracts pass without a fault, find each fault, and have no test without one. */
export function itFinds(
  faults: readonly Fault[],
  testsOf: (adapters?: Awaited<ReturnType<typeof store.withFault>>) => Tests,
): void {
  const failed = new Set<string>();
  let injected = 0;

  it('passes with the correct store', async () => {
    for (const test of testsOf()) expect([test.title, await store.failureOf(test)]).toEqual([test.title, null]);
  });

  it.each(faults)('fails with a fault in $file: $replace', async (fault) => {
    injected += 1;
    const tests = testsOf(await store.withFault(fault));
    for (const detection of fault.detectedBy) {
      const [title, message] = detection instanceof RegExp ? [detection, /./] : detection;
      const found: Record<string, (string | null)[]> = {};
      for (const test of tests.filter((one) => title.test(one.title))) {
        const failure = await store.failureOf(test);
        if (failure !== null) failed.add(test.title);
        (found[test.contract] ??= []).push(failure);
      }
      expect(Object.keys(found)).not.toEqual([]);
      for (const [contract, failures] of Object.entries(found))
        expect([contract, failures.some((one) => one !== null && message.test(one))]).toEqual([contract, true]);
    }
  });

  it('has no test that finds no fault', () => {
    const others = testsOf().flatMap(({ title }) => (failed.has(title) ? [] : title));
    // A run of some tests alone proves nothing.
    expect(injected === faults.length ? others : []).toEqual([]);
  });
}
