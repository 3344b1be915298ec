import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { casesOf, type EventFeedSubject, type Open, type TestRunner } from '../contract-subject.ts';
import { contractOn } from '../contract-on.ts';
import type { DefinitionOf } from '../order-fixtures.ts';
import { pageSizeContract } from '../page-size.contract.ts';
import { backlogContract } from './backlog.contract.ts';
import { eventsContract, openingFeed } from './events.contract.ts';
import { pagesContract } from './pages.contract.ts';
import { positionsContract } from './positions.contract.ts';
import { purgesContract } from './purges.contract.ts';
import { FeedBench } from './subject.ts';
import { waitsContract } from './waits.contract.ts';

/**
 * Registers with `runner` every quick test that an adapter of the event feed port must pass. The adapter stores orders
 * of `definition`, by default {@link ORDERS}.
 */
export function eventFeedContract<D extends OrderDefinition>(
  runner: TestRunner,
  open: Open<EventFeedSubject<D>>,
  ...definition: DefinitionOf<D>
): void {
  const { fixtures, stopping, openBench, cases } = contractOn(runner, open, definition, FeedBench);
  positionsContract(cases, fixtures);
  eventsContract(cases, fixtures);
  const openFeed = openingFeed(openBench, fixtures);
  pageSizeContract(casesOf(stopping, openFeed), 'events with resources', { elements: true, offset: false });
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
  open: Open<EventFeedSubject<D>>,
  ...definition: DefinitionOf<D>
): void {
  backlogContract(contractOn(runner, open, definition, FeedBench).cases);
}
