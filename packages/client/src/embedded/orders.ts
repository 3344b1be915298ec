import {
  type LineItem,
  type Order,
  type OrderDefinition,
  type OrderVersion,
  type OrderWritten,
  type UntypedDomain,
  availableTransitions,
} from '@orders/domain';
import { createAs, type OwnerContext, readAs, updateAs, writeAs } from './calls.ts';
import type { OwnerOrder, OwnerOrders, OwnerOrderVersion } from './client.ts';
import { decodeNumber, decodeText, listingOf, type OwnerPage, toOwnerPage } from './pages.ts';
import type { OwnerErrors } from './errors.ts';

type D = OrderDefinition;
type Errors = OwnerErrors<D>;

/** Returns an order as the API has it. */
export function presentOrder(order: Order<D>, definition: D): OwnerOrder<D> {
  return { ...order, available_transitions: availableTransitions(order.status, definition) };
}

/** Binds the use cases of orders to one owner. */
export function ordersOf(context: OwnerContext, domain: UntypedDomain<D>, definition: D): OwnerOrders<D> {
  const { owner } = context;
  const present = (order: Order<D>) => presentOrder(order, definition);
  const presentVersion = ({ order, ...version }: OrderVersion<D>): OwnerOrderVersion<D> => ({
    ...version,
    order: order && present(order),
  });
  const written = ({ order }: OrderWritten<D>) => ({ order: present(order) });
  const get: OwnerOrders<D>['get'] = (id, options = {}) =>
    readAs(options, () => domain.getOrder(owner, id).map(present));
  const change: OwnerOrders<D>['change'] = (id, patch, options = {}) =>
    writeAs(context, options, (rest) => domain.changeOrder(owner, id, patch, rest), written);
  return {
    get,
    change,
    place: (input, options = {}) =>
      createAs(context, options, (rest) => domain.placeOrder(owner, input, rest), written),
    list: (query = {}) =>
      listingOf(
        ({ signal, after, ...rest }) =>
          readAs<OwnerPage<OwnerOrder<D>>, Errors['list']>({ signal }, () =>
            domain.listOrders(owner, { ...rest, after: decodeText(after) }).map((page) => toOwnerPage(page, present)),
          ),
        query,
      ),
    items: (id, query = {}) =>
      listingOf(
        ({ signal, after, ...rest }) =>
          readAs<OwnerPage<LineItem>, Errors['listOfOrder']>({ signal }, () =>
            domain
              .listOrderItems(owner, id, { ...rest, after: decodeNumber(after) })
              .map((page) => toOwnerPage(page, (item) => item)),
          ),
        query,
      ),
    versions: (id, query = {}) =>
      listingOf(
        ({ signal, after, ...rest }) =>
          readAs<OwnerPage<OwnerOrderVersion<D>>, Errors['listOfOrder']>({ signal }, () =>
            domain
              .listOrderVersions(owner, id, { ...rest, after: decodeNumber(after) })
              .map((page) => toOwnerPage(page, presentVersion)),
          ),
        query,
      ),
    version: (id, version, options = {}) =>
      readAs(options, () => domain.getOrderVersion(owner, id, version).map(presentVersion)),
    update: (id, decide, options = {}) =>
      updateAs(
        context,
        (read) => get(id, read),
        decide,
        (patch, rest) => change(id, patch, rest),
        options,
      ),
    cancel: (id, input = {}, options = {}) =>
      writeAs(context, options, (rest) => domain.cancelOrder(owner, id, input, rest), written),
    delete: (id, options = {}) =>
      writeAs(
        context,
        options,
        (rest) => domain.deleteOrder(owner, id, rest),
        () => ({}),
      ),
  };
}
