import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { ORDERS } from '../../orders/order-lifecycle.ts';
import type { TestRunner } from '../contract-subject.ts';
import { orderFixtures, widen } from '../order-fixtures.ts';
import { webhookBacklogContract } from './backlog.contract.ts';
import { disabledContract } from './disabled.contract.ts';
import { failingContract } from './failing.contract.ts';
import { fanOutContract } from './fan-out.contract.ts';
import { findDueContract } from './find-due.contract.ts';
import { furtherDueContract } from './further-due.contract.ts';
import { leasesContract } from './leases.contract.ts';
import { logContract } from './log.contract.ts';
import { orderContract } from './order.contract.ts';
import { deliveryPurgesContract } from './purges.contract.ts';
import { redeliveryContract } from './redelivery.contract.ts';
import type { OpenWebhookQueueSubject } from './subject.ts';

/**
 * Registers with `runner` every quick test that adapters of the ports of webhook deliveries must pass. The adapter
 * stores orders of `definition`, by default {@link ORDERS}.
 */
export function webhookQueueContract<D extends OrderDefinition>(
  runner: TestRunner,
  open: OpenWebhookQueueSubject<D>,
  definition: D,
): void;
export function webhookQueueContract(runner: TestRunner, open: OpenWebhookQueueSubject): void;
export function webhookQueueContract(
  runner: TestRunner,
  open: OpenWebhookQueueSubject | OpenWebhookQueueSubject<OrderDefinition>,
  definition: OrderDefinition = ORDERS,
): void {
  const openAny: OpenWebhookQueueSubject<OrderDefinition> = widen(open);
  const orders = orderFixtures(definition);
  fanOutContract(runner, openAny, orders);
  orderContract(runner, openAny, orders);
  failingContract(runner, openAny, orders);
  leasesContract(runner, openAny, orders);
  disabledContract(runner, openAny, orders);
  findDueContract(runner, openAny, orders);
  furtherDueContract(runner, openAny, orders);
  logContract(runner, openAny, orders);
  redeliveryContract(runner, openAny, orders);
  deliveryPurgesContract(runner, openAny, orders);
}

/**
 * * Registers with `runner` the tests of the ports of webhook deliveries that write thousands of events: in a
 * database, they take seconds. Every adapter must pass them too. The adapter stores orders of `definition`, by default
 * {@link ORDERS}.
 */
export function webhookQueueBacklogContract<D extends OrderDefinition>(
  runner: TestRunner,
  open: OpenWebhookQueueSubject<D>,
  definition: D,
): void;
export function webhookQueueBacklogContract(runner: TestRunner, open: OpenWebhookQueueSubject): void;
export function webhookQueueBacklogContract(
  runner: TestRunner,
  open: OpenWebhookQueueSubject | OpenWebhookQueueSubject<OrderDefinition>,
  definition: OrderDefinition = ORDERS,
): void {
  const openAny: OpenWebhookQueueSubject<OrderDefinition> = widen(open);
  const orders = orderFixtures(definition);
  webhookBacklogContract(runner, openAny, orders);
}
