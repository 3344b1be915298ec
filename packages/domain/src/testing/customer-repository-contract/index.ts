import { type CustomerQueryInput, parseCustomerQuery } from '../../customers/customer-query.ts';
import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { aggregateStoreContract } from '../aggregate-store-contract/index.ts';
import { aCustomer } from '../builders.ts';
import { casesOf, type Open, type StoreSubject, succeeds, type TestRunner } from '../contract-subject.ts';
import { contractOn } from '../contract-on.ts';
import { metadataOfBytes } from '../metadata-of-bytes.ts';
import type { DefinitionOf } from '../order-fixtures.ts';
import { pageSizeContract } from '../page-size.contract.ts';
import { StoreBench } from '../store-bench.ts';
import { customerAggregates } from './aggregates.ts';
import { emailErasuresContract } from './email-erasures.contract.ts';
import { rulesContract } from './rules.contract.ts';

/**
 * Registers with `runner` every test that an adapter of the customer repository port must pass. The adapter stores
 * orders of `definition`, by default {@link ORDERS}.
 */
export function customerRepositoryContract<D extends OrderDefinition>(
  runner: TestRunner,
  open: Open<StoreSubject<D>>,
  ...definition: DefinitionOf<D>
): void {
  const { fixtures, stopping, openBench, cases } = contractOn(runner, open, definition, StoreBench);
  aggregateStoreContract(stopping, openBench, customerAggregates);
  rulesContract(cases, fixtures);
  emailErasuresContract(cases);
  const openList = async () => {
    const bench = await openBench();
    return {
      storeText: (bytes: number) => bench.customers.stored(aCustomer({ metadata: metadataOfBytes(bytes) })),
      page: async (input: CustomerQueryInput) => {
        const query = parseCustomerQuery({ ...input, limit: 100 })._unsafeUnwrap();
        const { data, next } = await succeeds(bench.customers.store.list(bench.owner, query));
        return { ids: data.map(({ id }) => id), next };
      },
    };
  };
  pageSizeContract(casesOf(stopping, openList), 'customers', { elements: false, offset: true });
}
