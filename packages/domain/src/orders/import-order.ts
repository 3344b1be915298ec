import { err, ok, okAsync, type Result, type ResultAsync } from 'neverthrow';
import { assertBatch, BATCH_MAX, caught, onlyResult } from '../aggregates/create-together.ts';
import { type IdTaken, type Import, importAggregates } from '../aggregates/import-aggregate.ts';
import { currentTimestamp, type Timestamp } from '../shared/clock.ts';
import type { Author } from '../shared/author.ts';
import { createEvent } from '../shared/domain-event.ts';
import type { Owner } from '../shared/ids.ts';
import { type ImportOptions, readImportOptions } from '../shared/imported-values.ts';
import { isEqualJson } from '../shared/json-values.ts';
import type { Money } from '../shared/money.ts';
import type { InternalError, Unavailable } from '../shared/unavailable.ts';
import type { FurtherAdjustment } from './adjustment.ts';
import type { OrderDefinition, StatusOf, WithCustomInput } from './definition/order-definition.ts';
import type { DefaultDefinition } from './order-lifecycle.ts';
import type { ItemQuantity, NewTracking } from './fulfillment.ts';
import { markErased, personalMembers } from './erase-order.ts';
import { type ImportedOrderInvalid, readImportedOrder } from './imported-order.ts';
import type { LineItem, NewLineItem } from './line-item.ts';
import { checkGuards } from './guards.ts';
import { parseCustomerQuery } from '../customers/customer-query.ts';
import type { CustomerErased } from '../customers/customer-errors.ts';
import type { ReferenceTaken, Refused, UnknownCustomer } from './order-errors.ts';
import type { OrderEvent } from './order-kind.ts';
import type { OrderFieldsInput } from './order-fields.ts';
import { parseOrderQuery } from './order-query.ts';
import type { OrderPorts, OrderWritten } from './order-repository.ts';
import type { AnyOrder } from './order.ts';
import { presentWrite } from './present-order.ts';
import { mapUnknownCustomer } from './unknown-customer.ts';

/** A line of an imported order. A quantity that is absent is 0, but what was fulfilled follows from the fulfillments. */
export interface ImportedItem extends NewLineItem, Partial<Omit<LineItem, keyof NewLineItem>> {}

/** A reference to an item: its id, or its index in the input. An adjustment without one belongs to the order. */
interface ItemReference {
  readonly item_id?: string | null | undefined;
  readonly item?: number | null | undefined;
}

/** A fulfillment of an imported order. Each item may be a reference by index. */
export interface ImportedFulfillment {
  readonly id?: string | null | undefined;
  readonly created_at?: Timestamp | null | undefined;
  readonly items: readonly (ItemReference & Pick<ItemQuantity, 'quantity'>)[];
  readonly tracking?: NewTracking | null | undefined;
  readonly cancelled_at?: Timestamp | null | undefined;
}

/** The members of an imported order that do not depend on its definition. */
interface ImportedOrderCore extends OrderFieldsInput {
  /** A UUID. Required, or else `reference`, so that a second import adds nothing. */
  readonly id?: string | null | undefined;
  readonly items: readonly ImportedItem[];
  /** In the order in which they were made. `created_at` defaults to that of the one before it, or of the order. */
  readonly adjustments?:
    | readonly (FurtherAdjustment &
        ItemReference & {
          readonly id?: string | null | undefined;
          readonly created_at?: Timestamp | null | undefined;
        })[]
    | null
    | undefined;
  /** In the order in which they were made. `created_at` defaults to that of the one before it, or of the order. */
  readonly fulfillments?: readonly ImportedFulfillment[] | null | undefined;
  /** If it is set, it must be what the items make. */
  readonly subtotal?: Money | null | undefined;
  /** If it is set, it must be what the items and adjustments make. */
  readonly total?: Money | null | undefined;
  /** Only for a cancelled order. */
  readonly cancel_reason?: string | null | undefined;
  /** 1 to {@link IMPORTED_VERSION_MAX}. Default: 1. Earlier versions do not exist here. */
  readonly version?: number | null | undefined;
  /** Default: now. */
  readonly created_at?: Timestamp | null | undefined;
  /** Default: the last time in the order. */
  readonly updated_at?: Timestamp | null | undefined;
  /** Time of the last correction of its status. Default: none. */
  readonly corrected_at?: Timestamp | null | undefined;
  /**
   * Time of the last erasure. An order with personal data may refer to an erased customer only if this is not earlier than
   * the erasure of the customer: the data came later. Default: that of its erased customer; otherwise not erased.
   */
  readonly erased_at?: Timestamp | null | undefined;
}

/** The times of statuses. That of the status is required unless it is the initial one. */
type ImportedStatusTimes<D extends OrderDefinition> =
  string extends StatusOf<D>
    ? unknown
    : { readonly [Status in Exclude<StatusOf<D>, D['initial']> as `${Status}_at`]?: Timestamp | null | undefined };

/**
 * An order of another system, in any status. Its members are those of an {@link Order}; times are RFC 3339 with any offset,
 * and none is in the future.
 */
export type ImportedOrder<D extends OrderDefinition = DefaultDefinition> = ImportedOrderCore & {
  /** Default: the initial status. */
  readonly status?: StatusOf<D> | null | undefined;
} & ImportedStatusTimes<D> &
  WithCustomInput<D>;

/** The errors of importing an order. */
export type ImportOrderError<D extends OrderDefinition = DefaultDefinition> =
  | ImportedOrderInvalid
  | ReferenceTaken
  | CustomerErased
  | Refused<D>
  | IdTaken
  | InternalError
  | Unavailable;

/** The options of importing an order. */
export interface ImportOrderOptions extends ImportOptions {
  /**
   * Whether the order is from before its definition, so that required custom data may be missing, and no guard refuses it.
   * Default: no.
   */
  readonly asHistory?: boolean | undefined;
}

/**
 * Imports an order with its id, times, status and quantities, and records the event `order.imported` now. If the owner has
 * it already, returns the version that has the content of `input`, an {@link ImportedOrder}, as a replay. All invalid
 * fields are reported together. Guards see it as a new order that enters its status.
 */
export function importOrder(
  ports: OrderPorts,
  owner: Owner,
  input: unknown,
  options: ImportOrderOptions = {},
): ResultAsync<OrderWritten<OrderDefinition>, ImportOrderError<OrderDefinition>> {
  return importOrders(ports, owner, [input], options).andThen(onlyResult);
}

/**
 * Imports several orders together, each with the outcome of {@link importOrder}, in their order.
 *
 * @throws {RangeError} there are more than {@link BATCH_MAX}
 */
export function importOrders(
  ports: OrderPorts,
  owner: Owner,
  inputs: readonly unknown[],
  options: ImportOrderOptions = {},
): ResultAsync<readonly Result<OrderWritten<OrderDefinition>, ImportOrderError<OrderDefinition>>[], never> {
  assertBatch(inputs);
  const { author, mode } = readImportOptions(options, ['asHistory']);
  const { orders, definition } = ports;
  const prepared = inputs.map((input) =>
    caught(() => prepareImport(ports, owner, author, input, options.asHistory ?? false)),
  );
  const findAny = (ids: readonly string[]) =>
    parseOrderQuery({ ids, limit: BATCH_MAX }, definition)
      .asyncAndThen((query) => orders.list(owner, query))
      .map(({ data }) => data);
  return markAll(ports, owner, prepared)
    .andThen((marked) => importAggregates({ store: orders, owner, findAny }, marked, mode))
    .map((outcomes) =>
      outcomes.map((outcome) => caught(() => outcome.map(presentWrite(definition)).mapErr(mapUnknownCustomer))),
    );
}

/** Marks the orders of erased customers together. One that is missed, for instance by a replica, is marked once it is refused. */
function markAll<Invalid>(
  { customers }: OrderPorts,
  owner: Owner,
  prepared: readonly Result<OrderImport, Invalid>[],
): ResultAsync<readonly Result<OrderImport, Invalid>[], never> {
  const of = (each: Result<OrderImport, Invalid>) =>
    each.isOk() && isUnmarked(each.value.after) ? each.value.after.customer_id : null;
  const ids = [...new Set(prepared.flatMap((each) => of(each) ?? []))];
  if (ids.length === 0) return okAsync(prepared);
  return parseCustomerQuery({ ids, limit: BATCH_MAX })
    .asyncAndThen((query) => customers.list(owner, query))
    .map(({ data }) => {
      const erased = new Map(data.map(({ id, erased_at }) => [id, erased_at]));
      return prepared.map((each) => {
        const erased_at = erased.get(of(each) ?? '') ?? null;
        return erased_at === null
          ? each
          : each.map((order) => ({ ...order, after: markErased(order.after, erased_at) }));
      });
    })
    .orElse(() => ok(prepared));
}

type OrderImport = Import<AnyOrder, OrderEvent<OrderDefinition>, ReferenceTaken | UnknownCustomer | CustomerErased>;

/** Whether an order has neither personal data nor the time of an erasure. */
function isUnmarked(order: AnyOrder): boolean {
  return order.erased_at === null && personalMembers(order).length === 0;
}

/** Validates an order without the rules that depend on stored data, and returns how to import it. */
function prepareImport(
  ports: OrderPorts,
  owner: Owner,
  author: Author,
  input: unknown,
  asHistory: boolean,
): Result<OrderImport, ImportedOrderInvalid | Refused> {
  const read = (like: AnyOrder | null) => readImportedOrder(ports, input, like, asHistory);
  const now = currentTimestamp(ports.clock);
  const decide = (after: AnyOrder) =>
    asHistory ? ok(null) : checkGuards(ports.definition, 'place_order', null, after, now);
  return read(null)
    .andThrough(decide)
    .map((after) => {
      const { id, version } = after;
      const imported = { id, version, updated_at: now };
      return {
        after,
        event: createEvent(ports.ids, owner, author, { type: 'order.imported', changed: [] }, imported),
        holderOf: (refused) => (refused.type === 'reference_taken' ? refused.order_id : null),
        // What it may get later came after the erasure.
        instead: (refused) =>
          refused.type === 'customer_erased' && after.customer_id !== null && isUnmarked(after)
            ? ports.customers.load(owner, after.customer_id).map((customer) => {
                const erased_at = customer?.aggregate.erased_at ?? null;
                return erased_at === null ? null : markErased(after, erased_at);
              })
            : okAsync(null),
        isSame: (existing) => {
          const again = read(existing);
          if (again.isErr()) return false;
          const { erased_at } = existing;
          const isMarked = erased_at !== null && isUnmarked(again.value);
          return isEqualJson(isMarked ? markErased(again.value, erased_at) : again.value, existing);
        },
        find: (existing) =>
          ports.orders
            .findVersion(owner, existing, version)
            .map(({ order }) => order)
            .orElse((error) => (error.type === 'unavailable' ? err(error) : ok(null))),
      };
    });
}
