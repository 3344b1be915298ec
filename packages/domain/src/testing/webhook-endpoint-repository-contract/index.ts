import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { aggregateStoreContract } from '../aggregate-store-contract/index.ts';
import { casesOf, type TestRunner } from '../contract-subject.ts';
import { type DefinitionOf, fixturesOf, widen } from '../order-fixtures.ts';
import { endpointAggregates } from './aggregates.ts';
import { rulesContract } from './rules.contract.ts';
import { EndpointBench, type OpenWebhookEndpointSubject, type WebhookEndpointSubject } from './subject.ts';
import { stoppingAtFailure } from '../thrown-calls.ts';

/**
 * Registers with `runner` every test that adapters of the port of webhook endpoints must pass. The adapter stores
 * orders of `definition`, by default {@link ORDERS}.
 */
export function webhookEndpointRepositoryContract<D extends OrderDefinition>(
  runner: TestRunner,
  open: OpenWebhookEndpointSubject<D>,
  ...definition: DefinitionOf<D>
): void {
  const fixtures = fixturesOf(definition);
  const { stopping, watch } = stoppingAtFailure(runner);
  const openAny = async () =>
    watch(widen<WebhookEndpointSubject<OrderDefinition>>(await open()), 'orders', 'customers', 'webhookEndpoints');
  aggregateStoreContract(stopping, openAny, endpointAggregates(fixtures));
  rulesContract(casesOf(stopping, async () => new EndpointBench(await openAny())));
}
