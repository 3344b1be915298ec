import { storedCustomers } from './customers/customer-kind.ts';
import { storedErasures } from './customers/erasure-kind.ts';
import { storedEndpoints } from './webhooks/endpoint-kind.ts';
import { storedOrders } from './orders/order-kind.ts';
import type { StoredKind } from './writes/aggregate-kind.ts';

/** The kinds of aggregates. What concerns each of them derives from this list. */
export const KINDS: readonly StoredKind[] = [storedOrders, storedCustomers, storedErasures, storedEndpoints];
