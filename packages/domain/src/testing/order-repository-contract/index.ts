import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { aggregateStoreContract } from '../aggregate-store-contract/index.ts';
import { orderAggregates } from './aggregates.ts';
import { conflictOrderContract } from './conflict-order.contract.ts';
import { erasuresContract } from './erasures.contract.ts';
import { customContract } from './custom.contract.ts';
import { lookupsContract } from './lookups.contract.ts';
import { pagingContract } from './paging.contract.ts';
import { casesOf, type OpenSubject, type StoreSubject, type TestRunner } from '../contract-subject.ts';
import { type DefinitionOf, fixturesOf, widen } from '../order-fixtures.ts';
import { pageSizesContract } from './page-sizes.contract.ts';
import { StoreBench } from '../store-bench.ts';
import { uniquenessContract } from './uniqueness.contract.ts';
import { versionPagesContract } from './version-pages.contract.ts';
import { versionsContract } from './versions.contract.ts';
import { stoppingAtFailure } from '../thrown-calls.ts';

/**
 * Registers with `runner` every test that an adapter of the order repository port must pass. The adapter stores orders of
 * `definition`, by default {@link ORDERS}.
 */
export function orderRepositoryContract<D extends OrderDefinition>(
  runner: TestRunner,
  open: OpenSubject<D>,
  ...definition: DefinitionOf<D>
): void {
  const fixtures = fixturesOf(definition);
  const { stopping, watch } = stoppingAtFailure(runner);
  const openAny = async () => watch(widen<StoreSubject<OrderDefinition>>(await open()), 'orders', 'customers');
  const openBench = async () => new StoreBench(fixtures, await openAny());
  const cases = casesOf(stopping, openBench);
  aggregateStoreContract(stopping, openAny, orderAggregates(fixtures));
  if (fixtures.definition.custom) customContract(cases, fixtures);
  uniquenessContract(cases, fixtures);
  conflictOrderContract(cases, fixtures);
  lookupsContract(cases, fixtures);
  pagingContract(cases, fixtures);
  pageSizesContract(stopping, openBench, fixtures);
  versionsContract(cases, fixtures);
  versionPagesContract(cases);
  erasuresContract(cases, fixtures);
}
