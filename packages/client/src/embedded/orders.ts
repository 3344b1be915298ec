import { type Domain, type OrderDefinition, type OrderWritten, untyped } from '@orders/domain';
import { batchOf, importOf } from '../batch.ts';
import { exported } from '../exported.ts';
import { asSent } from '../calls/json.ts';
import { update } from '../calls/update.ts';
import type { Customers } from '../customers.ts';
import { batch } from './batch.ts';
import type { Orders } from '../orders.ts';
import { type AnyDefinition, create, list, nothing, type OwnerContext, read, unchanged, write } from './calls.ts';
import { numberCursors, sorted, textCursors } from './pages.ts';

/** Returns the cursors of a list of orders, which a prefix sorts by reference. */
function cursorsOf({
  reference_prefix,
  sort,
}: {
  readonly reference_prefix?: string | undefined;
  readonly sort?: string | undefined;
}) {
  return textCursors(sorted('orders', { sort: reference_prefix === undefined ? sort : 'reference' }));
}

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
    write(context, options, (rest) => domain.changeOrder(owner, id, asSent(patch), rest), written);
  const orders: Orders<AnyDefinition>['list'] = (query = {}) =>
    list(cursorsOf(query), query, (rest) => domain.listOrders(owner, rest), unchanged);
  return {
    get,
    change,
    place: (input, options = {}) =>
      create(context, options, (rest) => domain.placeOrder(owner, asSent(input), rest), written),
    list: orders,
    findByEmail: (buyer_email, query = {}) =>
      list(
        textCursors('order_searches'),
        { ...query, buyer_email },
        (rest) => domain.searchOrders(owner, rest),
        unchanged,
      ),
    placeMany: (inputs, options = {}) => batch(context, domain, batchOf(inputs), options),
    importMany: (inputs, { asHistory, ...options } = {}) =>
      batch(context, domain, importOf(inputs, { asHistory }), options),
    export: (query = {}) => exported({ list: orders, customers }, query),
    items: (id, query = {}) =>
      list(numberCursors('items'), query, (rest) => domain.listOrderItems(owner, id, rest), unchanged),
    versions: (id, query = {}) =>
      list(numberCursors('versions'), query, (rest) => domain.listOrderVersions(owner, id, rest), unchanged),
    version: (id, version, options = {}) => read(options, () => domain.getOrderVersion(owner, id, version)),
    update: (id, decide, options = {}) => update(id, { get, change }, decide, options),
    adjust: (id, input, options = {}) =>
      write(context, options, (rest) => domain.adjustOrder(owner, id, asSent(input), rest), written),
    addItems: (id, input, options = {}) =>
      write(context, options, (rest) => domain.addItems(owner, id, asSent(input), rest), written),
    fulfill: (id, input = {}, options = {}) =>
      write(context, options, (rest) => domain.fulfillItems(owner, id, asSent(input), rest), written),
    cancelFulfillment: (id, fulfillmentId, options = {}) =>
      write(context, options, (rest) => domain.cancelFulfillment(owner, id, fulfillmentId, rest), written),
    returnItems: (id, input, options = {}) =>
      write(context, options, (rest) => domain.returnItems(owner, id, asSent(input), rest), written),
    cancel: (id, input = {}, options = {}) =>
      write(context, options, (rest) => domain.cancelOrder(owner, id, asSent(input), rest), written),
    delete: (id, options = {}) => write(context, options, (rest) => domain.deleteOrder(owner, id, rest), nothing),
  };
}
