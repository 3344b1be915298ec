import { type Result, ResultAsync } from 'neverthrow';
import { createDomain } from '../../create-domain.ts';
import type { Domain } from '../../domain.ts';
import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import type { Clock } from '../../shared/clock.ts';
import { assertResult, countWrites } from '../../handled-failures.ts';
import type { IdSource } from '../../shared/ids.ts';
import { type StoreGate, TransactionGate } from './gate.ts';
import type { AnyEvent } from './in-memory-feed.ts';
import { InMemoryKeys } from './in-memory-keys.ts';
import { type OrdersAndCustomers, ordersAndCustomers } from './orders-and-customers.ts';

/** What transactions read and write. */
export interface TransactionParts extends OrdersAndCustomers {
  readonly gate: StoreGate;
  readonly keys: InMemoryKeys;
  readonly definition: OrderDefinition;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly publish: (event: AnyEvent) => void;
}

/** See {@link InMemoryStore.transaction}. It works on a copy, which the store takes over at the commit. */
export function runTransaction(
  store: TransactionParts,
  work: (transaction: { readonly domain: Domain<OrderDefinition> }) => unknown,
): ResultAsync<unknown, unknown> {
  const { definition, clock, ids } = store;
  const gate = new TransactionGate();
  const run = async (): Promise<Result<unknown, unknown>> => {
    const keys = new InMemoryKeys();
    const events: AnyEvent[] = [];
    const copied = ordersAndCustomers({ gate, keys }, (event) => events.push(event), definition);
    copyStored(store, { ...copied, keys });
    const { domain, assertHandled } = countWrites(createDomain({ ...widen(copied), clock, ids }, definition));
    const result = assertResult(await work({ domain }));
    gate.hasEnded = true;
    if (result.isErr()) return result;
    assertHandled();
    copyStored({ ...copied, keys }, store);
    for (const event of events) store.publish(event);
    return result;
  };
  return new ResultAsync(store.gate.transaction(gate, run));
}

type Stored = Pick<TransactionParts, 'orders' | 'customers' | 'keys'>;

function copyStored(from: Stored, to: Stored): void {
  to.orders.copyFrom(from.orders);
  to.customers.copyFrom(from.customers);
  to.keys.copyFrom(from.keys);
}

/** Returns the aggregates, which store orders of any definition as they are. */
function widen(aggregates: object): Parameters<typeof createDomain<OrderDefinition>>[0];
function widen(aggregates: object): unknown {
  return aggregates;
}
