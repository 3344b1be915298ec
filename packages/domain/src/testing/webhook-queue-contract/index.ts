import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { type Open, type TestRunner, type WebhookQueueSubject } from '../contract-subject.ts';
import { contractOn } from '../contract-on.ts';
import type { DefinitionOf } from '../order-fixtures.ts';
import { webhookBacklogContract } from './backlog.contract.ts';
import { disabledContract } from './disabled.contract.ts';
import { failingContract } from './failing.contract.ts';
import { fanOutContract } from './fan-out.contract.ts';
import { findDueContract } from './find-due.contract.ts';
import { leasesContract } from './leases.contract.ts';
import { logContract } from './log.contract.ts';
import { orderContract } from './order.contract.ts';
import { deliveryPurgesContract } from './purges.contract.ts';
import { redeliveryContract } from './redelivery.contract.ts';
import { QueueBench } from './subject.ts';

/**
 * Registers with `runner` every quick test that adapters of the ports of webhook deliveries must pass. The adapter
 * stores orders of `definition`, by default {@link ORDERS}.
 */
export function webhookQueueContract<D extends OrderDefinition>(
  runner: TestRunner,
  open: Open<WebhookQueueSubject<D>>,
  ...definition: DefinitionOf<D>
): void {
  const { cases } = contractOn(runner, open, definition, QueueBench);
  fanOutContract(cases);
  orderContract(cases);
  failingContract(cases);
  leasesContract(cases);
  disabledContract(cases);
  findDueContract(cases);
  logContract(cases);
  redeliveryContract(cases);
  deliveryPurgesContract(cases);
}

/**
 * Registers with `runner` the tests of the ports of webhook deliveries that write thousands of events: in a database,
 * they take seconds. Every adapter must pass them too. The adapter stores orders of `definition`, by default
 * {@link ORDERS}.
 */
export function webhookQueueBacklogContract<D extends OrderDefinition>(
  runner: TestRunner,
  open: Open<WebhookQueueSubject<D>>,
  ...definition: DefinitionOf<D>
): void {
  webhookBacklogContract(contractOn(runner, open, definition, QueueBench).cases);
}
