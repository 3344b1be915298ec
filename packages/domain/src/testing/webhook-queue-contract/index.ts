import type { TestRunner } from '../contract-subject.ts';
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
import type { OpenWebhookQueueSubject } from './subject.ts';

/** Registers with `runner` every quick test that adapters of the ports of webhook deliveries must pass. */
export function webhookQueueContract(runner: TestRunner, open: OpenWebhookQueueSubject): void {
  fanOutContract(runner, open);
  orderContract(runner, open);
  failingContract(runner, open);
  leasesContract(runner, open);
  disabledContract(runner, open);
  findDueContract(runner, open);
  logContract(runner, open);
  redeliveryContract(runner, open);
  deliveryPurgesContract(runner, open);
}

/**
 * Registers with `runner` the tests of the ports of webhook deliveries that write thousands of events: in a database,
 * they take seconds. Every adapter must pass them too.
 */
export function webhookQueueBacklogContract(runner: TestRunner, open: OpenWebhookQueueSubject): void {
  webhookBacklogContract(runner, open);
}
