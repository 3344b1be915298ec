import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { ORDERS } from '../../orders/order-lifecycle.ts';
import { aggregateStoreContract } from '../aggregate-store-contract/index.ts';
import { parsePageQuery } from '../../shared/page-query.ts';
import { aCustomer } from '../builders.ts';
import { type OpenSubject, storeCustomer, succeeds, type TestRunner } from '../contract-subject.ts';
import { metadataOfBytes } from '../metadata-of-bytes.ts';
import { pageBytesContract } from '../page-bytes.contract.ts';
import { orderFixtures, widen } from '../order-fixtures.ts';
import { customerAggregates } from './aggregates.ts';
import { rulesContract } from './rules.contract.ts';

/**
 * Registers with `runner` every test that an adapter of the customer repository port must pass. The adapter stores
 * orders of `definition`, by default {@link ORDERS}.
 */
export function customerRepositoryContract<D extends OrderDefinition>(
  runner: TestRunner,
  open: OpenSubject<D>,
  definition: D,
): void;
export function customerRepositoryContract(runner: TestRunner, open: OpenSubject): void;
export function customerRepositoryContract(
  runner: TestRunner,
  open: OpenSubject | OpenSubject<OrderDefinition>,
  definition: OrderDefinition = ORDERS,
): void {
  const openAny: OpenSubject<OrderDefinition> = widen(open);
  const orders = orderFixtures(definition);
  aggregateStoreContract(runner, openAny, customerAggregates(orders));
  rulesContract(runner, openAny, orders);
  pageBytesContract(runner, 'customers', async () => {
    const subject = await openAny();
    return {
      storeEntry: (owner, bytes) => storeCustomer(subject, owner, aCustomer({ metadata: metadataOfBytes(bytes) })),
      page: (owner, query) => succeeds(subject.customers.list(owner, parsePageQuery(query)._unsafeUnwrap())),
    };
  });
}
