import type { Result, ResultAsync } from 'neverthrow';
import type { Ports } from '../ports.ts';
import { currentTimestamp } from '../shared/clock.ts';
import { createEvent, readActor } from '../shared/domain-event.ts';
import type { Owner } from '../shared/ids.ts';
import { InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import { type Metadata, readMetadata } from '../shared/metadata.ts';
import { idempotencyFor, type KeyReused, omitNulls } from '../shared/idempotency.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { WriteOptions } from '../shared/write-options.ts';
import { type NewLineItem, type PricedItems, priceItems, readItems } from './line-item.ts';
import type { AmountOutOfRange, CurrencyMismatch, ReferenceTaken } from './order-errors.ts';
import { STATUS_EVENT_TYPES } from './order-events.ts';
import { mapUnknownCustomer } from './unknown-customer.ts';
import type { OrderWritten } from './order-repository.ts';
import { ORDER_DETAILS, type OrderDetails, readDetails } from './order-details.ts';
import { type Order, READ_ONLY_FIELDS } from './order.ts';

/** The input of a new order. A member that is absent or `null` is not set. */
export interface NewOrder {
  /** 1 to {@link ITEMS_MAX} lines, all in one currency. */
  readonly items: readonly NewLineItem[];
  /** Id of a customer of the same owner. */
  readonly customer_id?: string | null | undefined;
  /** Your identifier of the order, unique per owner: 1 to {@link REFERENCE_LENGTH_MAX} characters. */
  readonly reference?: string | null | undefined;
  /** Free text of at most {@link NOTE_LENGTH_MAX} characters. */
  readonly note?: string | null | undefined;
  /** At most {@link METADATA_KEYS_MAX} keys. */
  readonly metadata?: Metadata | null | undefined;
}

/** The validated command to place an order. */
export interface PlaceOrder extends OrderDetails {
  readonly items: readonly NewLineItem[];
  readonly metadata: Metadata;
}

/** The errors of placing an order. */
export type PlaceOrderError =
  | ValidationFailed
  | CurrencyMismatch
  | AmountOutOfRange
  | KeyReused
  | ReferenceTaken
  | Unavailable;

/**
 * Places an order with status `pending` at version 1, and computes its totals. All invalid fields of `input`, a
 * {@link NewOrder}, are reported together.
 */
export function placeOrder(
  ports: Ports,
  owner: Owner,
  input: unknown,
  options: WriteOptions = {},
): ResultAsync<OrderWritten, PlaceOrderError> {
  const actor = readActor(options);
  return parsePlaceOrder(input).asyncAndThen((command) =>
    priceItems(command.items, ports.ids).asyncAndThen((priced) => {
      const order = buildOrder(ports, command, priced);
      const idempotency = idempotencyFor(ports, options, 'place_order', omitNulls(command));
      const event = createEvent(
        ports.ids,
        owner,
        actor,
        { type: STATUS_EVENT_TYPES[order.status], changed: [] },
        order,
      );
      return ports.orders.insert(owner, { order, event }, idempotency).mapErr(mapUnknownCustomer);
    }),
  );
}

const MEMBERS = ['items', ...ORDER_DETAILS, 'metadata'];
const READ_ONLY_MEMBERS = ['status', 'cancel_reason', ...READ_ONLY_FIELDS];

/** Parses the input of a new order, without the rules that depend on stored data. */
function parsePlaceOrder(input: unknown): Result<PlaceOrder, ValidationFailed> {
  const invalid = new InvalidFields();
  const members = invalid.readObject(input, MEMBERS, READ_ONLY_MEMBERS);
  const items = readItems(members['items'], 'items', invalid) ?? [];
  const details = readDetails(members, invalid);
  const metadata = readMetadata(members['metadata'], 'metadata', invalid) ?? {};
  return invalid.settle({ ...details, items, metadata });
}

function buildOrder(ports: Ports, command: PlaceOrder, priced: PricedItems): Order {
  const now = currentTimestamp(ports.clock);
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
