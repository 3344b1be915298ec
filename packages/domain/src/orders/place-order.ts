import { err, errAsync, ok, type Result, type ResultAsync } from 'neverthrow';
import type { Ports } from '../ports.ts';
import { timestamp } from '../shared/clock.ts';
import type { Owner } from '../shared/ids.ts';
import { InvalidFields, invalidField, isPlainObject, type ValidationFailed } from '../shared/validation.ts';
import { type Metadata, readMetadata } from '../shared/metadata.ts';
import { fingerprint, type KeyReused, onceFor, withoutNulls, type WriteOptions } from '../shared/idempotency.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import { type NewLineItem, type PricedItems, priceItems, readItems } from './line-item.ts';
import type { AmountOutOfRange, CurrencyMismatch, ReferenceTaken } from './order-errors.ts';
import { ENTERED } from './order-events.ts';
import { refuseUnknownCustomer } from './unknown-customer.ts';
import type { OrderWritten } from './order-repository.ts';
import { ORDER_DETAILS, type OrderDetails, readDetails } from './order-details.ts';
import { type Order, READ_ONLY_FIELDS } from './order.ts';

/** A judged request for a new order. */
export interface PlaceOrder extends OrderDetails {
  readonly items: readonly NewLineItem[];
  readonly metadata: Metadata;
}

/** Why an order is not placed. */
export type PlaceOrderError =
  | ValidationFailed
  | CurrencyMismatch
  | AmountOutOfRange
  | KeyReused
  | ReferenceTaken
  | Unavailable;

/** Places an order: `pending`, version 1, totals computed. `input` is untyped; every bad field of it is named. */
export function placeOrder(
  ports: Ports,
  owner: Owner,
  input: unknown,
  options: WriteOptions = {},
): ResultAsync<OrderWritten, PlaceOrderError> {
  const command = parsePlaceOrder(input);
  if (command.isErr()) return errAsync(command.error);
  const priced = priceItems(command.value.items, ports.ids);
  if (priced.isErr()) return errAsync(priced.error);
  const order = newOrder(ports, command.value, priced.value);
  const once = onceFor(ports, options, () => fingerprint('place_order', withoutNulls(command.value)));
  const event = {
    id: ports.ids.next(),
    type: ENTERED[order.status],
    owner,
    aggregate_id: order.id,
    version: order.version,
    occurred_at: order.created_at,
    changed: [],
  };
  return ports.orders.insert(owner, { order, event }, once).mapErr(refuseUnknownCustomer);
}

/** Judges the body of a new order on its own. */
function parsePlaceOrder(input: unknown): Result<PlaceOrder, ValidationFailed> {
  if (!isPlainObject(input)) return err(invalidField('', 'wrong_type', 'must be an object'));
  const invalid = new InvalidFields();
  invalid.onlyKnown(input, ['items', ...ORDER_DETAILS, 'metadata'], '', [
    'status',
    'cancel_reason',
    ...READ_ONLY_FIELDS,
  ]);
  const items = readItems(input['items'], 'items', invalid) ?? [];
  const details = readDetails(input, invalid);
  const metadata = readMetadata(input['metadata'], 'metadata', invalid) ?? {};
  return invalid.failure ? err(invalid.failure) : ok({ ...details, items, metadata });
}

function newOrder(ports: Ports, command: PlaceOrder, priced: PricedItems): Order {
  const now = timestamp(ports.clock);
  return {
    id: ports.ids.next(),
    status: 'pending',
    ...command,
    ...priced,
    cancel_reason: null,
    version: 1,
    created_at: now,
    updated_at: now,
    paid_at: null,
    shipped_at: null,
    delivered_at: null,
    cancelled_at: null,
  };
}
