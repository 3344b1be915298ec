import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { ORDERS } from '../../orders/order-lifecycle.ts';
import { aggregateStoreContract } from '../aggregate-store-contract/index.ts';
import type { TestRunner } from '../contract-subject.ts';
import { orderFixtures, widen } from '../order-fixtures.ts';
import { ENDPOINTS } from './aggregates.ts';
import { rulesContract } from './rules.contract.ts';
import type { OpenWebhookEndpointSubject } from './subject.ts';

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
  aggregateStoreContract(runner, openAny, ENDPOINTS);
  rulesContract(runner, openAny, orders);
}
