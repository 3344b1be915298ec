import { err, ok, type ResultAsync } from 'neverthrow';
import type { OrderPorts } from './order-repository.ts';
import { type Owner, parseId, type ResourceId } from '../shared/ids.ts';
import type { Page } from '../shared/page.ts';
import type { ValidationFailed } from '../shared/validation.ts';
import type { OrderDefinition } from './definition/order-definition.ts';
import type { GetOrderError } from './get-order.ts';
import { UNKNOWN_POSITION } from './list-order-items.ts';
import { type OrderVersion, type OrderVersionQueryInput, parseOrderVersionQuery } from './order-version.ts';

/** The errors of listing the versions of an order. */
export type ListOrderVersionsError = GetOrderError | ValidationFailed;

/**
 * Returns one page of the versions of an order, newest first, also after its deletion. With `at`, the page has only the
 * version that was current at that time; it is empty for a time before the first version. Returns `order_not_found`
 * after all versions were purged.
 */
export function listOrderVersions(
  ports: OrderPorts,
  owner: Owner,
  orderId: string | ResourceId,
  input: OrderVersionQueryInput = {},
): ResultAsync<Page<OrderVersion<OrderDefinition>, number>, ListOrderVersionsError> {
  return parseOrderVersionQuery(input).asyncAndThen((query) =>
    parseId(orderId, 'order_not_found').asyncAndThen((id) =>
      ports.orders.listVersions(owner, id, query).andThen((page) => {
        // Checked after the lookup, so that a foreign order has the same response as a nonexistent one.
        const isForeign = query.after !== null && query.after.id !== id;
        return isForeign ? err(UNKNOWN_POSITION) : ok(page);
      }),
    ),
  );
}
