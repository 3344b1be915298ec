import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { ORDERS } from '../../orders/order-lifecycle.ts';
import { aggregateStoreContract } from '../aggregate-store-contract/index.ts';
import { orderAggregates } from './aggregates.ts';
import { customContract } from './custom.contract.ts';
import { orderPageBytesContract, pagingContract } from './paging.contract.ts';
import type { OpenSubject, TestRunner } from '../contract-subject.ts';
import { orderFixtures, widen } from '../order-fixtures.ts';
import { uniquenessContract } from './uniqueness.contract.ts';
import { storedValuesContract } from './stored-values.contract.ts';
import { versionPagesContract } from './version-pages.contract.ts';
import { versionsAfterWritesContract } from './versions-after-writes.contract.ts';
import { versionsContract } from './versions.contract.ts';

/**
 * Registers with `runner` every test that an adapter of the order repository port must pass. The adapter stores orders of
 * `definition`, by default {@link ORDERS}.
 */
export function orderRepositoryContract<D extends OrderDefinition>(
  runner: TestRunner,
  open: OpenSubject<D>,
  definition: D,
): void;
export function orderRepositoryContract(runner: TestRunner, open: OpenSubject): void;
export function orderRepositoryContract(
  runner: TestRunner,
  open: OpenSubject | OpenSubject<OrderDefinition>,
  definition: OrderDefinition = ORDERS,
): void {
  const openAny: OpenSubject<OrderDefinition> = widen(open);
  const orders = orderFixtures(definition);
  aggregateStoreContract(runner, openAny, orderAggregates(orders));
  if (definition.custom) customContract(runner, openAny, orders);
  storedValuesContract(runner, openAny, orders);
  uniquenessContract(runner, openAny, orders);
  pagingContract(runner, openAny, orders);
  orderPageBytesContract(runner, openAny, orders);
  versionsContract(runner, openAny, orders);
  versionsAfterWritesContract(runner, openAny, orders);
  versionPagesContract(runner, openAny, orders);
}
