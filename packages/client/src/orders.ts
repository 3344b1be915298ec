import { errAsync, type ResultAsync } from 'neverthrow';
import type { DefaultDefinition, Definition, StatusOf } from './definition.ts';
import type {
  CancelOrderError,
  ChangeOrderError,
  DeleteOrderError,
  ErrorOf,
  GetOrderError,
  GetOrderVersionError,
  ListError,
  ListOfOrderError,
  PlaceOrderError,
  UpdateOrderError,
} from './errors.ts';
import { type Listing, listing, type PageQuery } from './listing.ts';
import type { ChangeOptions, RequestOptions, WriteOptions, Written } from './options.ts';
import { readPage } from './page.ts';
import type { Cancellation, LineItem, NewOrder, Order, OrderPatch, OrderVersion } from './schemas.ts';
import { PROBLEMS } from './generated/problems.ts';
import { isId } from './calls/keys.ts';
import { signalOf } from './calls/known-options.ts';
import { update } from './calls/update.ts';
import { trusted } from './calls/trusted.ts';
import type { Settings } from './transport/settings.ts';
import { read, write } from './transport/writes.ts';

/** Sort order of a list: by time, ascending, or descending with `-`. */
export type Sort = 'created_at' | '-created_at' | 'updated_at' | '-updated_at';

/** A query for a list of orders; an order must match all members. */
export interface OrderQuery<D extends Definition = DefaultDefinition> extends PageQuery, RequestOptions {
  /** Default: newest first, by creation. */
  readonly sort?: Sort | undefined;
  /** The accepted statuses. Default: every status. */
  readonly status?: readonly StatusOf<D>[] | undefined;
  readonly customer_id?: string | undefined;
  readonly reference?: string | undefined;
}

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

/** The operations on orders. */
export interface Orders<D extends Definition = DefaultDefinition> {
  /**
   * Places an order.
   *
   * @example
   * const placed = await orders.place({
   *   items: [{ sku: 'TEA-1', name: 'Tea', quantity: 2, unit_price: { amount: 450, currency: 'EUR' } }],
   * });
   */
  readonly place: (input: NewOrder<D>, options?: WriteOptions) => ResultAsync<OrderWritten<D>, PlaceOrderError>;

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
   * Cancels an order.
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
  readonly delete: (id: string, options?: ChangeOptions) => ResultAsync<Written, DeleteOrderError>;
}

const NOT_FOUND: ErrorOf<'order_not_found'> = { type: 'order_not_found' };
/** Highest number of a version; a path with a higher one is malformed. */
const VERSION_MAX = 2_147_483_647;

/** Binds the operations on orders to a server. */
export function bindOrders<D extends Definition>(settings: Settings): Orders<D> {
  const written = ({ body, ...rest }: Written & { readonly body: unknown }): OrderWritten<D> => ({
    order: trusted<Order<D>>(body),
    ...rest,
  });
  const get: Orders<D>['get'] = (id, options = {}) =>
    isId(id)
      ? read<GetOrderError>(settings, { path: `/orders/${id}`, signal: signalOf(options) }, PROBLEMS.get_order).map(
          (body) => trusted<Order<D>>(body),
        )
      : errAsync(NOT_FOUND);
  const change: Orders<D>['change'] = (id, patch, options = {}) =>
    isId(id)
      ? write<ChangeOrderError>(
          settings,
          { method: 'PATCH', path: `/orders/${id}`, body: patch },
          options,
          PROBLEMS.change_order,
        )
          .map(written)
          .mapErr((error) => trusted<ChangeOrderError<D>>(error))
      : errAsync(NOT_FOUND);
  return {
    get,
    change,
    place: (input, options = {}) =>
      write<PlaceOrderError>(
        settings,
        { method: 'POST', path: '/orders', body: input },
        options,
        PROBLEMS.place_order,
      ).map(written),
    list: (query = {}) =>
      listing(
        ({ signal, ...rest }: OrderQuery<D>) =>
          readPage<Order<D>, ListError>(settings, '/orders', rest, PROBLEMS.list_orders, signal),
        query,
      ),
    items: (id, query = {}) =>
      listing(
        ({ signal, ...rest }: ItemQuery) =>
          isId(id)
            ? readPage<LineItem, ListOfOrderError>(
                settings,
                `/orders/${id}/items`,
                rest,
                PROBLEMS.list_order_items,
                signal,
              )
            : errAsync(NOT_FOUND),
        query,
      ),
    versions: (id, query = {}) =>
      listing(
        ({ signal, ...rest }: VersionQuery) =>
          isId(id)
            ? readPage<OrderVersion<D>, ListOfOrderError>(
                settings,
                `/orders/${id}/versions`,
                rest,
                PROBLEMS.list_order_versions,
                signal,
              )
            : errAsync(NOT_FOUND),
        query,
      ),
    version: (id, version, options = {}) =>
      isId(id) && Number.isInteger(version) && version > 0 && version <= VERSION_MAX
        ? read<GetOrderVersionError>(
            settings,
            { path: `/orders/${id}/versions/${version}`, signal: signalOf(options) },
            PROBLEMS.get_order_version,
          ).map((body) => trusted<OrderVersion<D>>(body))
        : errAsync({ type: 'version_not_found' }),
    update: (id, decide, options = {}) =>
      update(
        (read) => get(id, read),
        decide,
        (patch, rest) => change(id, patch, rest),
        options,
      ),
    cancel: (id, input = {}, options = {}) =>
      isId(id)
        ? write<CancelOrderError>(
            settings,
            { method: 'POST', path: `/orders/${id}/cancel`, resource: `/orders/${id}`, body: input },
            options,
            PROBLEMS.cancel_order,
          )
            .map(written)
            .mapErr((error) => trusted<CancelOrderError<D>>(error))
        : errAsync(NOT_FOUND),
    delete: (id, options = {}) =>
      isId(id)
        ? write<DeleteOrderError>(
            settings,
            { method: 'DELETE', path: `/orders/${id}` },
            options,
            PROBLEMS.delete_order,
          ).map(({ body: _body, ...rest }) => rest)
        : errAsync(NOT_FOUND),
  };
}
