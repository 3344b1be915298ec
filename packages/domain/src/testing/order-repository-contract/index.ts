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
 * Registers with `testRunner` every test that an adapter of the order repository port must pass. The adapter stores orders of
 * `definition`, by default {@link ORDERS}.
 */
export function orderRepositoryContract<D extends OrderDefinition = typeof ORDERS>(
  testRunner: TestRunner,
  open: OpenSubject<D>,
  ...definition: DefinitionOf<D>
): void {
  const fixtures = fixturesOf(definition);
  const { runner, watch } = stoppingAtThrows(testRunner);
  const openAny = async () => watch(widen<StoreSubject<OrderDefinition>>(await open()), 'orders', 'customers');
  const openBench = async () => new StoreBench(fixtures, await openAny());
  aggregateStoreContract(runner, openAny, orderAggregates(fixtures));
  if (fixtures.definition.custom) customContract(runner, openBench, fixtures);
  storedValuesContract(runner, openBench, fixtures);
  chargesContract(runner, openBench, fixtures);
  uniquenessContract(runner, openBench, fixtures);
  conflictOrderContract(runner, openBench, fixtures);
  pagingContract(runner, openBench, fixtures);
  orderPageBytesContract(runner, openBench, fixtures);
  versionsContract(runner, openBench, fixtures);
  versionsAfterWritesContract(runner, openBench, fixtures);
  versionPagesContract(runner, openBench, fixtures);
  erasuresContract(runner, openBench, fixtures);
}
