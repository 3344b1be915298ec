import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { aggregateStoreContract } from '../aggregate-store-contract/index.ts';
import { type Open, type TestRunner, type WebhookEndpointSubject } from '../contract-subject.ts';
import { contractOn } from '../contract-on.ts';
import { FeedBench } from '../event-feed-contract/subject.ts';
import type { DefinitionOf } from '../order-fixtures.ts';
import { endpointAggregates } from './aggregates.ts';
import { rulesContract } from './rules.contract.ts';

/**
 * Registers with `runner` every test that adapters of the port of webhook endpoints must pass. The adapter stores
 * orders of `definition`, by default {@link ORDERS}.
 */
export function webhookEndpointRepositoryContract<D extends OrderDefinition>(
  runner: TestRunner,
  open: Open<WebhookEndpointSubject<D>>,
  ...definition: DefinitionOf<D>
): void {
  const { fixtures, stopping, openBench, cases } = contractOn(runner, open, definition, FeedBench);
  aggregateStoreContract(stopping, openBench, endpointAggregates(fixtures));
  rulesContract(cases);
}
