import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { aggregateStoreContract } from '../aggregate-store-contract/index.ts';
import { orderAggregates } from './aggregates.ts';
import { erasuresContract } from './erasures.contract.ts';
import { customContract } from './custom.contract.ts';
import { lookupsContract } from './lookups.contract.ts';
import { pagingContract } from './paging.contract.ts';
import { type Open, type StoreSubject, type TestRunner } from '../contract-subject.ts';
import { contractOn } from '../contract-on.ts';
import type { DefinitionOf } from '../order-fixtures.ts';
import { pageSizesContract } from './page-sizes.contract.ts';
import { StoreBench } from '../store-bench.ts';
import { uniquenessContract } from './uniqueness.contract.ts';
import { versionPagesContract } from './version-pages.contract.ts';
import { versionsContract } from './versions.contract.ts';

/**
 * Registers with `runner` every test that an adapter of the order repository port must pass. The adapter stores orders of
 * `definition`, by default {@link ORDERS}.
 */
export function orderRepositoryContract<D extends OrderDefinition>(
  runner: TestRunner,
  open: Open<StoreSubject<D>>,
  ...definition: DefinitionOf<D>
): void {
  const { fixtures, stopping, openBench, cases } = contractOn(runner, open, definition, StoreBench);
  aggregateStoreContract(stopping, openBench, orderAggregates(fixtures));
  if (fixtures.definition.custom) customContract(cases, fixtures);
  uniquenessContract(cases, fixtures);
  lookupsContract(cases, fixtures);
  pagingContract(cases, fixtures);
  pageSizesContract(stopping, openBench, fixtures);
  versionsContract(cases, fixtures);
  versionPagesContract(cases);
  erasuresContract(cases, fixtures);
}
