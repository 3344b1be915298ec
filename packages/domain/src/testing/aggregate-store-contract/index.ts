import type { DomainEvent } from '../../shared/domain-event.ts';
import { casesOf, type Open, type TestRunner } from '../contract-subject.ts';
import type { StoreBench } from '../store-bench.ts';
import { commitsContract } from './commits.contract.ts';
import { keysContract } from './keys.contract.ts';
import { listContract } from './list.contract.ts';
import { lockedCommitsContract } from './locked-commits.contract.ts';
import { refusalsContract } from './refusals.contract.ts';
import { type Aggregate, type AggregateFixtures, Bench } from './subject.ts';

/** Registers the tests of what a store promises for every kind of aggregate. */
export function aggregateStoreContract<A extends Aggregate, E extends DomainEvent<string>, Refused>(
  runner: TestRunner,
  open: Open<StoreBench>,
  fixtures: AggregateFixtures<A, E, Refused>,
): void {
  const cases = casesOf(runner, async () => new Bench(fixtures, await open()));
  commitsContract(cases, fixtures);
  refusalsContract(cases, fixtures);
  keysContract(cases, fixtures);
  lockedCommitsContract(cases, fixtures);
  listContract(cases, fixtures);
}
