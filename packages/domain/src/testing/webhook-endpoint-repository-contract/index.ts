import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import type { ORDERS } from '../../orders/order-lifecycle.ts';
import { aggregateStoreContract } from '../aggregate-store-contract/index.ts';
import type { TestRunner } from '../contract-subject.ts';
import { type DefinitionOf, fixturesOf, widen } from '../order-fixtures.ts';
import { endpointAggregates } from './aggregates.ts';
import { rulesContract } from './rules.contract.ts';
import { EndpointBench, type OpenWebhookEndpointSubject, type WebhookEndpointSubject } from './subject.ts';
import { stoppingAtThrows } from '../thrown-calls.ts';

/**
 * Registers with `testRunner` every test that adapters of the port of webhook endpoints must pass. The adapter stores
 * orders of `definition`, by default {@link ORDERS}.
 */
export function webhookEndpointRepositoryContract<D extends OrderDefinition = typeof ORDERS>(
  testRunner: TestRunner,
  open: OpenWebhookEndpointSubject<D>,
  ...definition: DefinitionOf<D>
): void {
  const fixtures = fixturesOf(definition);
  const { runner, watch } = stoppingAtThrows(testRunner);
  const openAny = async () =>
    watch(widen<WebhookEndpointSubject<OrderDefinition>>(await open()), 'orders', 'customers', 'webhookEndpoints');
  aggregateStoreContract(runner, openAny, endpointAggregates(fixtures));
  rulesContract(runner, async () => new EndpointBench(await openAny()), fixtures);
}
