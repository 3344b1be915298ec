import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { ORDERS } from '../../orders/order-lifecycle.ts';
import type { TestRunner } from '../contract-subject.ts';
import { orderFixtures, widen } from '../order-fixtures.ts';
import { createContract } from './create.contract.ts';
import { deleteContract } from './delete.contract.ts';
import { idempotencyContract } from './idempotency.contract.ts';
import { listContract } from './list.contract.ts';
import type { OpenWebhookEndpointSubject } from './subject.ts';
import { updateContract } from './update.contract.ts';

/**
 * Registers with `runner` every test that adapters of the port of webhook endpoints must pass. The adapter stores
 * orders of `definition`, by default {@link ORDERS}.
 */
export function webhookEndpointRepositoryContract<D extends OrderDefinition>(
  runner: TestRunner,
  open: OpenWebhookEndpointSubject<D>,
  definition: D,
): void;
export function webhookEndpointRepositoryContract(runner: TestRunner, open: OpenWebhookEndpointSubject): void;
export function webhookEndpointRepositoryContract(
  runner: TestRunner,
  open: OpenWebhookEndpointSubject | OpenWebhookEndpointSubject<OrderDefinition>,
  definition: OrderDefinition = ORDERS,
): void {
  const openAny: OpenWebhookEndpointSubject<OrderDefinition> = widen(open);
  const orders = orderFixtures(definition);
  createContract(runner, openAny, orders);
  updateContract(runner, openAny, orders);
  deleteContract(runner, openAny);
  idempotencyContract(runner, openAny);
  listContract(runner, openAny);
}
