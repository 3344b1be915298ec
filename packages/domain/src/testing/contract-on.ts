import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import { type AnySubject, casesOf, type Open, type TestRunner } from './contract-subject.ts';
import { fixturesOf, type OrderFixtures } from './order-fixtures.ts';
import { stoppingAtFailure } from './thrown-calls.ts';

/**
 * Returns what the tests of a contract share: the orders of its definition, a runner that stops at the first failure, and what
 * opens a bench for each test.
 */
export function contractOn<Bench>(
  runner: TestRunner,
  open: Open<object>,
  definition: readonly (OrderDefinition | undefined)[],
  Kind: new (fixtures: OrderFixtures, subject: AnySubject) => Bench,
) {
  const fixtures = fixturesOf(definition);
  const { stopping, watch } = stoppingAtFailure(runner);
  const openBench = async () => new Kind(fixtures, watch(widen(await open())));
  return { fixtures, stopping, openBench, cases: casesOf(stopping, openBench) };
}

/** Returns the store itself. A contract uses only what the type of its subject has, and orders of its definition. */
function widen(subject: object): AnySubject;
function widen(subject: object): unknown {
  return subject;
}
