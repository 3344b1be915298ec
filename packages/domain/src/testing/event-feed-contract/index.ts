import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { ORDERS } from '../../orders/order-lifecycle.ts';
import type { TestRunner } from '../contract-subject.ts';
import { orderFixtures, widen } from '../order-fixtures.ts';
import { backlogContract } from './backlog.contract.ts';
import { eventsContract } from './events.contract.ts';
import { pagesContract } from './pages.contract.ts';
import { positionsContract } from './positions.contract.ts';
import { purgesContract } from './purges.contract.ts';
import type { OpenFeedSubject } from './subject.ts';
import { waitsContract } from './waits.contract.ts';

/**
 * Registers with `runner` every quick test that an adapter of the event feed port must pass. The adapter stores orders
 * of `definition`, by default {@link ORDERS}.
 */
export function eventFeedContract<D extends OrderDefinition>(
  runner: TestRunner,
  open: OpenFeedSubject<D>,
  definition: D,
): void;
export function eventFeedContract(runner: TestRunner, open: OpenFeedSubject): void;
export function eventFeedContract(
  runner: TestRunner,
  open: OpenFeedSubject | OpenFeedSubject<OrderDefinition>,
  definition: OrderDefinition = ORDERS,
): void {
  const openAny: OpenFeedSubject<OrderDefinition> = widen(open);
  const orders = orderFixtures(definition);
  positionsContract(runner, openAny, orders);
  eventsContract(runner, openAny, orders);
  pagesContract(runner, openAny, orders);
  purgesContract(runner, openAny, orders);
  waitsContract(runner, openAny, orders);
}

/**
 * * Registers with `runner` the tests of the event feed port that write thousands of events: in a database, they take
 * seconds. Every adapter must pass them too. The adapter stores orders of `definition`, by default {@link ORDERS}.
 */
export function eventFeedBacklogContract<D extends OrderDefinition>(
  runner: TestRunner,
  open: OpenFeedSubject<D>,
  definition: D,
): void;
export function eventFeedBacklogContract(runner: TestRunner, open: OpenFeedSubject): void;
export function eventFeedBacklogContract(
  runner: TestRunner,
  open: OpenFeedSubject | OpenFeedSubject<OrderDefinition>,
  definition: OrderDefinition = ORDERS,
): void {
  const openAny: OpenFeedSubject<OrderDefinition> = widen(open);
  const orders = orderFixtures(definition);
  backlogContract(runner, openAny, orders);
}
