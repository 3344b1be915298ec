import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import type { ORDERS } from '../../orders/order-lifecycle.ts';
import { aggregateStoreContract } from '../aggregate-store-contract/index.ts';
import { orderAggregates } from './aggregates.ts';
import { conflictOrderContract } from './conflict-order.contract.ts';
import { erasuresContract } from './erasures.contract.ts';
import { chargesContract } from './charges.contract.ts';
import { customContract } from './custom.contract.ts';
import { orderPageBytesContract, pagingContract } from './paging.contract.ts';
import type { OpenSubject, StoreSubject, TestRunner } from '../contract-subject.ts';
import { type DefinitionOf, fixturesOf, widen } from '../order-fixtures.ts';
import { StoreBench } from '../store-bench.ts';
import { uniquenessContract } from './uniqueness.contract.ts';
import { storedValuesContract } from './stored-values.contract.ts';
import { versionPagesContract } from './version-pages.contract.ts';
import { versionsAfterWritesContract } from './versions-after-writes.contract.ts';
import { versionsContract } from './versions.contract.ts';
import { stoppingAtThrows } from '../thrown-calls.ts';

/**
 * Registers with `runner` every test that an adapter of the order repository port must pass. The adapter stores orders of
 * `definition`, by default {@link ORDERS}.
 */
export function orderRepositoryContract<D extends OrderDefinition = typeof ORDERS>(
  runner: TestRunner,
  open: OpenSubject<D>,
  ...definition: DefinitionOf<D>
): void {
  const fixtures = fixturesOf(definition);
  const { stopping, watch } = stoppingAtThrows(runner);
  const openAny = async () => watch(widen<StoreSubject<OrderDefinition>>(await open()), 'orders', 'customers');
  const openBench = async () => new StoreBench(fixtures, await openAny());
  aggregateStoreContract(stopping, openAny, orderAggregates(fixtures));
  if (fixtures.definition.custom) customContract(stopping, openBench, fixtures);
  storedValuesContract(stopping, openBench, fixtures);
  chargesContract(stopping, openBench, fixtures);
  uniquenessContract(stopping, openBench, fixtures);
  conflictOrderContract(stopping, openBench, fixtures);
  pagingContract(stopping, openBench, fixtures);
  orderPageBytesContract(stopping, openBench, fixtures);
  versionsContract(stopping, openBench, fixtures);
  versionsAfterWritesContract(stopping, openBench, fixtures);
  versionPagesContract(stopping, openBench, fixtures);
  erasuresContract(stopping, openBench, fixtures);
}
