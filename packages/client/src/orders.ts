import type { Result, ResultAsync } from 'neverthrow';
import type { DefaultDefinition, Definition, StatusOf } from './definition.ts';
import type {
  AddItemsError,
  AdjustOrderError,
  CancelFulfillmentError,
  CancelOrderError,
  ChangeOrderError,
  DeleteOrderError,
  FulfillItemsError,
  GetOrderError,
  GetOrderVersionError,
  ImportOrderError,
  ListError,
  ListOfOrderError,
  PlaceOrderError,
  SearchOrdersError,
  ReturnItemsError,
  UpdateOrderError,
} from './errors.ts';
import type { FilteredQuery, Listing, PageQuery } from './listing.ts';
import type { ChangeOptions, RequestOptions, WriteOptions, Written } from './options.ts';
import type {
  AddedItems,
  Cancellation,
  ImportedOrder,
  ItemReturn,
  LineItem,
  NewAdjustment,
  NewFulfillment,
  NewOrder,
  Order,
  OrderAdjustments,
  OrderPatch,
  OrderVersion,
  WithSigns,
} from './schemas.ts';
import { batchOf, type BatchOptions, type ImportOptions, importOf, type OrderInBatch } from './batch.ts';
import { type ExportLine, exported } from './exported.ts';
import { isId } from './calls/keys.ts';
import { bindCustomers } from './customers.ts';
import { update } from './calls/update.ts';
import { uncheckedCast } from './calls/unchecked-cast.ts';
import { Operations } from './operations.ts';
import type { Settings } from './transport/settings.ts';
import type { WriteResponse } from './transport/writes.ts';

/** A query for a list of orders; an order must match all members. */
export type OrderQuery<D extends Definition = DefaultDefinition> = FilteredQuery & {
  /** The accepted statuses. Default: every status. */
  readonly status?: readonly StatusOf<D>[] | undefined;
  readonly customer_id?: string | undefined;
  readonly reference?: string | undefined;
  /**
   * `external.` and a system, or `own.` and a lookup of the definition, then a colon and the value, such as
   * `external.stripe:pi_1`. The list is sorted by creation, newest first, and has no `ids`, `offset`, `reference_prefix` and `sort`.
   */
  readonly lookup?: string | undefined;
  /** The first 2 to 64 characters of references. The list is sorted by reference, and has no `sort`. */
  readonly reference_prefix?: string | undefined;
};

/** A page of the orders that are found by email. */
export interface FindByEmailQuery extends Omit<PageQuery, 'offset'>, RequestOptions {}

/** A query for the items of an order. */
export interface ItemQuery extends PageQuery, RequestOptions {}

/** A query for the versions of an order. `after` and `at` exclude each other. */
export interface VersionQuery extends Omit<PageQuery, 'offset'>, RequestOptions {
  /** Only the version that was current at this time (RFC 3339), if any. */
  readonly at?: string | undefined;
}

/** The result of a write of an order. */
export interface OrderWritten<D extends Definition = DefaultDefinition> extends Written {
  readonly order: Order<D>;
}

/** Which orders to export: the filters of a list. */
export type ExportQuery<D extends Definition = DefaultDefinition> = Omit<
  OrderQuery<D>,
  'after' | 'ids' | 'limit' | 'lookup' | 'offset' | 'reference_prefix' | 'sort'
>;

/** The result of importing an order. */
export interface OrderImported<D extends Definition = DefaultDefinition> extends Pick<Written, 'replayed'> {
  readonly order: Order<D>;
}

/** The operations on orders. */
export interface Orders<D extends Definition = DefaultDefinition> {
  /**
   * Places an order. An amount with the wrong sign for its type does not compile if it is a literal.
   *
   * @example
   * const placed = await orders.place({
   *   items: [{ sku: 'TEA-1', name: 'Tea', quantity: 2, unit_price: { amount: 450, currency: 'EUR' } }],
   *   adjustments: [{ type: 'shipping', name: 'Parcel', amount: { amount: 490, currency: 'EUR' } }],
   * });
   */
  readonly place: <const Adjustments extends readonly NewAdjustment[]>(
    input: NewOrder<D> & { readonly adjustments?: WithSigns<Adjustments> | null | undefined },
    options?: WriteOptions,
  ) => ResultAsync<OrderWritten<D>, PlaceOrderError<D>>;

  /**
   * Places at most 100 orders in one request, with 1,000 items and adjustments, and 256 KiB of notes, metadata and custom data
   * in all. Each has the result of placing it alone with its key.
   *
   * @example
   * const results = await orders.placeMany([{ order: { items } }, { order: { items }, idempotencyKey: 'checkout-7' }]);
   */
  readonly placeMany: (
    inputs: readonly OrderInBatch<D>[],
    options?: BatchOptions,
  ) => Promise<readonly Result<OrderWritten<D>, PlaceOrderError<D>>[]>;

  /**
   * Imports at most 100 orders of another system, in any status, no larger in all than those of `placeMany`. An order
   * that was imported before is returned as it was. Needs the scope `orders:import`.
   *
   * @example
   * const results = await orders.importMany([{ reference: 'PO-7', created_at: '2025-01-31T09:00:00Z', items }]);
   */
  readonly importMany: (
    inputs: readonly ImportedOrder<D>[],
    options?: ImportOptions,
  ) => Promise<readonly Result<OrderImported<D>, ImportOrderError<D>>[]>;

  /**
   * Returns one order.
   *
   * @example
   * const order = await orders.get(id);
   */
  readonly get: (id: string, options?: RequestOptions) => ResultAsync<Order<D>, GetOrderError>;

  /**
   * Lists orders, newest first, and reads further pages when the iteration reaches them.
   *
   * @example
   * for await (const order of orders.list({ status: ['paid'] })) console.log(order.id);
   */
  readonly list: (query?: OrderQuery<D>) => Listing<Order<D>, ListError>;

  /**
   * Lists the orders whose buyer has an email, in any case, newest first, those of guests, too. The email of a customer is not
   * compared.
   *
   * @example
   * for await (const order of orders.findByEmail('ada@example.com')) console.log(order.id);
   */
  readonly findByEmail: (buyerEmail: string, query?: FindByEmailQuery) => Listing<Order<D>, SearchOrdersError>;

  /**
   * Returns all customers and then the orders that match, oldest first, as the lines that an import reads. Pages are read
   * when the iteration reaches them; throws {@link RequestFailed} when one cannot be read.
   *
   * @example
   * for await (const line of orders.export()) file.write(`${JSON.stringify(line)}\n`);
   */
  readonly export: (query?: ExportQuery<D>) => AsyncIterable<ExportLine<D>>;

  /**
   * Lists the items of an order, in line order.
   *
   * @example
   * for await (const item of orders.items(id)) console.log(item.sku);
   */
  readonly items: (id: string, query?: ItemQuery) => Listing<LineItem, ListOfOrderError>;

  /**
   * Lists the versions of an order, newest first, also after its deletion.
   *
   * @example
   * const [version] = (await orders.versions(id, { at: '2026-01-31T00:00:00Z' }).page()).unwrapOr({ data: [] }).data;
   */
  readonly versions: (id: string, query?: VersionQuery) => Listing<OrderVersion<D>, ListOfOrderError>;

  /**
   * Returns one version of an order.
   *
   * @example
   * const first = await orders.version(id, 1);
   */
  readonly version: (
    id: string,
    version: number,
    options?: RequestOptions,
  ) => ResultAsync<OrderVersion<D>, GetOrderVersionError>;

  /**
   * Changes an order by a merge patch, as a whole or not at all.
   *
   * @example
   * const paid = await orders.change(id, { status: 'paid' });
   */
  readonly change: (
    id: string,
    patch: OrderPatch<D>,
    options?: ChangeOptions,
  ) => ResultAsync<OrderWritten<D>, ChangeOrderError<D>>;

  /**
   * Reads an order and changes it by the patch that a function makes of it, again at most five times when another change came in between.
   *
   * @example
   * const noted = await orders.update(id, (order) => ({ note: `${order.note ?? ''} fragile` }));
   */
  readonly update: (
    id: string,
    decide: (order: Order<D>) => OrderPatch<D>,
    options?: WriteOptions,
  ) => ResultAsync<OrderWritten<D>, UpdateOrderError<D>>;

  /**
   * Charges something besides the items of an order, or gives it back, in any status.
   *
   * @example
   * const refunded = await orders.adjust(id, {
   *   adjustments: [{ type: 'refund', name: 'Broken cup', amount: { amount: -450, currency: 'EUR' } }],
   * });
   */
  readonly adjust: (
    id: string,
    input: OrderAdjustments,
    options?: ChangeOptions,
  ) => ResultAsync<OrderWritten<D>, AdjustOrderError<D>>;

  /**
   * Appends items to an order that is not cancelled. Those that it has stay as they are.
   *
   * @example
   * const larger = await orders.addItems(id, {
   *   items: [{ sku: 'SPOON', name: 'Spoon', quantity: 1, unit_price: { amount: 250, currency: 'EUR' } }],
   * });
   */
  readonly addItems: (
    id: string,
    input: AddedItems,
    options?: ChangeOptions,
  ) => ResultAsync<OrderWritten<D>, AddItemsError<D>>;

  /**
   * Records that items left: by default all that is neither fulfilled nor cancelled. The status stays.
   *
   * @example
   * const fulfilled = await orders.fulfill(id, { tracking: { carrier: 'DHL', number: '00340434161094042557' } });
   */
  readonly fulfill: (
    id: string,
    input?: NewFulfillment,
    options?: ChangeOptions,
  ) => ResultAsync<OrderWritten<D>, FulfillItemsError<D>>;

  /**
   * Cancels a fulfillment that was a mistake. The order keeps it, with the time.
   *
   * @example
   * const corrected = await orders.cancelFulfillment(id, fulfillment_id);
   */
  readonly cancelFulfillment: (
    id: string,
    fulfillmentId: string,
    options?: ChangeOptions,
  ) => ResultAsync<OrderWritten<D>, CancelFulfillmentError<D>>;

  /**
   * Records that fulfilled items came back, in any status. The totals stay, unless `adjustments` has a refund.
   *
   * @example
   * const returned = await orders.returnItems(id, { items: [{ item_id, quantity: 1 }], reason: 'too small' });
   */
  readonly returnItems: (
    id: string,
    input: ItemReturn,
    options?: ChangeOptions,
  ) => ResultAsync<OrderWritten<D>, ReturnItemsError<D>>;

  /**
   * Cancels an order, or only quantities of its items, which keeps the status and lowers the totals.
   *
   * @example
   * const cancelled = await orders.cancel(id, { reason: 'out of stock' });
   */
  readonly cancel: (
    id: string,
    input?: Cancellation,
    options?: ChangeOptions,
  ) => ResultAsync<OrderWritten<D>, CancelOrderError<D>>;

  /**
   * Deletes an order permanently, in any status.
   *
   * @example
   * const deleted = await orders.delete(id);
   */
  readonly delete: (id: string, options?: ChangeOptions) => ResultAsync<Written, DeleteOrderError<D>>;
}

/** An id that no resource has (RFC 9562 section 5.9), for text that must not become part of a path. */
const NO_ID = '00000000-0000-0000-0000-000000000000';

/** Highest number of a version; a path with a higher one is malformed. */
const VERSION_MAX = 2_147_483_647;

/** Binds the operations on orders to a server. */
export function bindOrders<D extends Definition>(settings: Settings): Orders<D> {
  const api = new Operations<D>(settings, '/orders', 'order_not_found');
  const versions = new Operations<D>(settings, '/orders', 'version_not_found');
  const isVersion = (version: number) => Number.isInteger(version) && version > 0 && version <= VERSION_MAX;
  const written = ({ body, ...rest }: WriteResponse): OrderWritten<D> => ({
    order: uncheckedCast<Order<D>>(body),
    ...rest,
  });
  const get: Orders<D>['get'] = (id, options = {}) => api.read('get_order', api.at(id), options);
  const change: Orders<D>['change'] = (id, patch, options = {}) =>
    api.write('change_order', 'PATCH', api.at(id), options, patch).map(written);
  const orders: Orders<D>['list'] = (query = {}) => api.list('list_orders', '/orders', query);
  return {
    get,
    change,
    placeMany: (inputs, options = {}) => api.batch(batchOf(inputs), options),
    importMany: (inputs, { asHistory, ...options } = {}) => api.batch(importOf(inputs, { asHistory }), options),
    export: (query = {}) => exported({ list: orders, customers: bindCustomers(settings).list }, query),
    place: (input, options = {}) => api.write('place_order', 'POST', '/orders', options, input).map(written),
    list: orders,
    findByEmail: (buyer_email, query = {}) => {
      const search = { ...query, buyer_email };
      return api.list('search_orders', '/order_searches', search, 'POST');
    },
    items: (id, query = {}) => api.list('list_order_items', api.at(id, '/items'), query),
    versions: (id, query = {}) => api.list('list_order_versions', api.at(id, '/versions'), query),
    version: (id, version, options = {}) => {
      const path = isVersion(version) ? versions.at(id, `/versions/${version}`) : null;
      return versions.read('get_order_version', path, options);
    },
    update: (id, decide, options = {}) => update(id, { get, change }, decide, options),
    adjust: (id, input, options = {}) =>
      api.write('adjust_order', 'POST', api.at(id, '/adjustments'), options, input).map(written),
    addItems: (id, input, options = {}) =>
      api.write('add_items', 'POST', api.at(id, '/items'), options, input).map(written),
    fulfill: (id, input = {}, options = {}) =>
      api.write('fulfill_items', 'POST', api.at(id, '/fulfillments'), options, input).map(written),
    cancelFulfillment: (id, fulfillmentId, options = {}) => {
      const path = api.at(id, `/fulfillments/${isId(fulfillmentId) ? fulfillmentId : NO_ID}/cancel`);
      return api.write('cancel_fulfillment', 'POST', path, options).map(written);
    },
    returnItems: (id, input, options = {}) =>
      api.write('return_items', 'POST', api.at(id, '/returns'), options, input).map(written),
    cancel: (id, input = {}, options = {}) =>
      api.write('cancel_order', 'POST', api.at(id, '/cancel'), options, input).map(written),
    delete: (id, options = {}) => api.delete('delete_order', id, options),
  };
}
