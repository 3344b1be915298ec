import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { casesOf, type TestRunner } from '../contract-subject.ts';
import { type DefinitionOf, fixturesOf, widen } from '../order-fixtures.ts';
import { pageSizeContract } from '../page-size.contract.ts';
import { backlogContract } from './backlog.contract.ts';
import { eventsContract, openingFeed } from './events.contract.ts';
import { pagesContract } from './pages.contract.ts';
import { positionsContract } from './positions.contract.ts';
import { purgesContract } from './purges.contract.ts';
import { FeedBench, type OpenFeedSubject } from './subject.ts';
import { waitsContract } from './waits.contract.ts';

/**
 * Registers with `runner` every quick test that an adapter of the event feed port must pass. The adapter stores orders
 * of `definition`, by default {@link ORDERS}.
 */
export function eventFeedContract<D extends OrderDefinition>(
  runner: TestRunner,
  open: OpenFeedSubject<D>,
  ...definition: DefinitionOf<D>
): void {
  const fixtures = fixturesOf(definition);
  const openBench = async () => new FeedBench(fixtures, widen(await open()));
  const cases = casesOf(runner, openBench);
  positionsContract(cases, fixtures);
  eventsContract(cases, fixtures);
  const openFeed = openingFeed(openBench, fixtures);
  pageSizeContract(casesOf(runner, openFeed), 'events with resources', { elements: true, offset: false });
  pagesContract(cases, fixtures);
  purgesContract(cases);
  waitsContract(cases);
}

/**
 * Registers with `runner` the tests of the event feed port that write thousands of events: in a database, they take
 * seconds. Every adapter must pass them too. The adapter stores orders of `definition`, by default {@link ORDERS}.
 */
export function eventFeedBacklogContract<D extends OrderDefinition>(
  runner: TestRunner,
  open: OpenFeedSubject<D>,
  ...definition: DefinitionOf<D>
): void {
  const fixtures = fixturesOf(definition);
  backlogContract(casesOf(runner, async () => new FeedBench(fixtures, widen(await open()))));
}
