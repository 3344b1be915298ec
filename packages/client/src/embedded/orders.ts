import {
  type Domain,
  type Order,
  type OrderDefinition,
  type OrderVersion,
  type OrderWritten,
  untyped,
} from '@orders/domain';
import { presentOrder, presentOrderVersion } from '@orders/domain/events';
import { trusted } from '../calls/trusted.ts';
import { update } from '../calls/update.ts';
import type { CancelOrderError } from '../errors.ts';
import { listing } from '../listing.ts';
import type { Orders } from '../orders.ts';
import { type AnyDefinition, create, type OwnerContext, read, write } from './calls.ts';
import type { DomainErrorOf } from './errors.ts';
import { decodeNumber, decodeText, toPage } from './pages.ts';

type CancelError = DomainErrorOf<CancelOrderError<AnyDefinition>>;

/** Binds the use cases of orders to one owner. */
export function ordersOf(context: OwnerContext, useCases: Domain<OrderDefinition>): Orders<AnyDefinition> {
  const { owner } = context;
  const { definition } = useCases;
  const domain = untyped(useCases);
  const present = (order: Order<OrderDefinition>) => presentOrder(order, definition);
  const presentVersion = (version: OrderVersion<OrderDefinition>) => presentOrderVersion(version, definition);
  const written = ({ order }: OrderWritten<OrderDefinition>) => ({ order: present(order) });
  const get: Orders<AnyDefinition>['get'] = (id, options = {}) =>
    read(options, () => domain.getOrder(owner, id).map(present));
  const change: Orders<AnyDefinition>['change'] = (id, patch, options = {}) =>
    write(context, options, (rest) => domain.changeOrder(owner, id, patch, rest), written);
  return {
    get,
    change,
    place: (input, options = {}) => create(context, options, (rest) => domain.placeOrder(owner, input, rest), written),
    list: (query = {}) =>
      listing(
        ({ signal, after, ...rest }) =>
          read({ signal }, () =>
            domain.listOrders(owner, { ...rest, after: decodeText(after) }).map((page) => toPage(page, present)),
          ),
        query,
      ),
    items: (id, query = {}) =>
      listing(
        ({ signal, after, ...rest }) =>
          read({ signal }, () =>
            domain
              .listOrderItems(owner, id, { ...rest, after: decodeNumber(after) })
              .map((page) => toPage(page, (item) => item)),
          ),
        query,
      ),
    versions: (id, query = {}) =>
      listing(
        ({ signal, after, ...rest }) =>
          read({ signal }, () =>
            domain
              .listOrderVersions(owner, id, { ...rest, after: decodeNumber(after) })
              .map((page) => toPage(page, presentVersion)),
          ),
        query,
      ),
    version: (id, version, options = {}) =>
      read(options, () => domain.getOrderVersion(owner, id, version).map(presentVersion)),
    update: (id, decide, options = {}) =>
      update(
        (rest) => get(id, rest),
        decide,
        (patch, rest) => change(id, patch, rest),
        options,
      ),
    cancel: (id, input = {}, options = {}) =>
      write(
        context,
        options,
        // Of the errors of a change, a cancellation has neither a taken reference nor an edit of a cancelled order.
        (rest) => domain.cancelOrder(owner, id, input, rest).mapErr((error) => trusted<CancelError>(error)),
        written,
      ),
    delete: (id, options = {}) =>
      write(
        context,
        options,
        (rest) => domain.deleteOrder(owner, id, rest),
        () => ({}),
      ),
  };
}
