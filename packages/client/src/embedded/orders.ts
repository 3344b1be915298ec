import { type Domain, type OrderDefinition, type OrderWritten, untyped } from '@orders/domain';
import { batchOf, importOf } from '../batch.ts';
import { exported } from '../exported.ts';
import { update } from '../calls/update.ts';
import type { Customers } from '../customers.ts';
import { batch } from './batch.ts';
import type { ItemQuery, Orders, VersionQuery } from '../orders.ts';
import { type AnyDefinition, create, list, nothing, type OwnerContext, read, unchanged, write } from './calls.ts';
import { decodeNumber, decodeText } from './pages.ts';

/** Binds the use cases of orders to one owner. */
export function ordersOf(
  context: OwnerContext,
  useCases: Domain<OrderDefinition>,
  customers: Customers['list'],
): Orders<AnyDefinition> {
  const { owner } = context;
  const domain = untyped(useCases);
  const written = ({ order }: OrderWritten<OrderDefinition>) => ({ order });
  const get: Orders<AnyDefinition>['get'] = (id, options = {}) => read(options, () => domain.getOrder(owner, id));
  const change: Orders<AnyDefinition>['change'] = (id, patch, options = {}) =>
    write(context, options, (rest) => domain.changeOrder(owner, id, patch, rest), written);
  const orders: Orders<AnyDefinition>['list'] = (query = {}) =>
    list(query, ({ after, ...rest }) => domain.listOrders(owner, { ...rest, after: decodeText(after) }), unchanged);
  return {
    get,
    change,
    place: (input, options = {}) => create(context, options, (rest) => domain.placeOrder(owner, input, rest), written),
    list: orders,
    placeMany: (inputs, options = {}) => batch(context, domain, batchOf(inputs), options),
    importMany: (inputs, { signal, ...options } = {}) => batch(context, domain, importOf(inputs, options), { signal }),
    export: (query = {}) => exported({ list: orders, customers }, query),
    items: (id, query = {}) => {
      const run = ({ after, ...rest }: ItemQuery) =>
        domain.listOrderItems(owner, id, { ...rest, after: decodeNumber(after) });
      return list(query, run, unchanged);
    },
    versions: (id, query = {}) => {
      const run = ({ after, ...rest }: VersionQuery) =>
        domain.listOrderVersions(owner, id, { ...rest, after: decodeNumber(after) });
      return list(query, run, unchanged);
    },
    version: (id, version, options = {}) => read(options, () => domain.getOrderVersion(owner, id, version)),
    update: (id, decide, options = {}) => update(id, { get, change }, decide, options),
    adjust: (id, input, options = {}) =>
      write(context, options, (rest) => domain.adjustOrder(owner, id, input, rest), written),
    fulfill: (id, input = {}, options = {}) =>
      write(context, options, (rest) => domain.fulfillItems(owner, id, input, rest), written),
    cancelFulfillment: (id, fulfillmentId, options = {}) =>
      write(context, options, (rest) => domain.cancelFulfillment(owner, id, fulfillmentId, rest), written),
    returnItems: (id, input, options = {}) =>
      write(context, options, (rest) => domain.returnItems(owner, id, input, rest), written),
    cancel: (id, input = {}, options = {}) =>
      write(context, options, (rest) => domain.cancelOrder(owner, id, input, rest), written),
    delete: (id, options = {}) => write(context, options, (rest) => domain.deleteOrder(owner, id, rest), nothing),
  };
}
