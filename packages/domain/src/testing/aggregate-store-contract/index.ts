import type { DomainEvent } from '../../shared/domain-event.ts';
import { casesOf, type TestRunner } from '../contract-subject.ts';
import { commitsContract } from './commits.contract.ts';
import { keysContract } from './keys.contract.ts';
import { listContract } from './list.contract.ts';
import { lockedCommitsContract } from './locked-commits.contract.ts';
import { type Aggregate, type AggregateFixtures, type AnyStore, benchOf } from './subject.ts';

/** Registers the tests of what a store promises for every kind of aggregate. */
export function aggregateStoreContract<
  A extends Aggregate,
  E extends DomainEvent<string>,
  Refused,
  Subject extends AnyStore<Subject>,
>(
  runner: TestRunner,
  open: () => Promise<Subject> | Subject,
  fixtures: AggregateFixtures<A, E, Refused, Subject>,
): void {
  const cases = casesOf(runner, async () => benchOf(fixtures, await open()));
  commitsContract(cases, fixtures);
  keysContract(cases, fixtures);
  lockedCommitsContract(cases, fixtures);
  listContract(cases, fixtures);
}
