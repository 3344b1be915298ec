import type { ResultAsync } from 'neverthrow';
import type { OrderPorts } from './order-repository.ts';
import { type Owner, parseId, type ResourceId } from '../shared/ids.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { OrderDefinition } from './definition/order-definition.ts';
import type { OrderVersion, VersionNotFound } from './order-version.ts';

/** The errors of reading a version of an order. */
export type GetOrderVersionError = VersionNotFound | Unavailable;

/** Returns one version of an order, also after its deletion, or `version_not_found`. */
export function getOrderVersion(
  ports: OrderPorts,
  owner: Owner,
  orderId: string | ResourceId,
  version: number,
): ResultAsync<OrderVersion<OrderDefinition>, GetOrderVersionError> {
  return parseId(orderId, 'version_not_found').asyncAndThen((id) => ports.orders.findVersion(owner, id, version));
}
