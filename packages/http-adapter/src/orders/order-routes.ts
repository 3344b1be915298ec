import type { Domain } from '@orders/domain';
import { toListProblem, toProblem } from '../conventions/domain-problems.ts';
import { readJson } from '../conventions/json-body.ts';
import { presentPage } from '../conventions/pagination.ts';
import type { Route } from '../routes.ts';
import { presentChanged, presentDeleted, presentOrder, presentPlaced, presentRead } from './order-presenter.ts';
import { readChangeOrder, readGetOrder, readListItems, readListOrders, readPlaceOrder } from './order-requests.ts';
import { LineItemListSchema, OrderListSchema, OrderSchema } from './order-schemas.ts';

const JSON_TYPE = ['application/json'];
const PATCH_TYPES = ['application/merge-patch+json', 'application/json'];

/** What can be done with orders over HTTP. */
export function orderRoutes(domain: Domain): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/orders',
      scope: 'orders:read',
      answers: OrderListSchema,
      handle: (request) =>
        readListOrders(request).asyncAndThen(({ input, scope, page }) =>
          domain
            .listOrders(request.principal.owner, input)
            .mapErr(toListProblem)
            .map(({ data, next }) => presentPage(request, scope, page, { data: data.map(presentOrder), next })),
        ),
    },
    {
      method: 'POST',
      path: '/orders',
      scope: 'orders:write',
      accepts: JSON_TYPE,
      answers: OrderSchema,
      handle: (request) =>
        readPlaceOrder(request)
          .andThen((options) => readJson(request).map((body) => ({ options, body })))
          .asyncAndThen(({ options, body }) =>
            domain.placeOrder(request.principal.owner, body, options).mapErr(toProblem).map(presentPlaced),
          ),
    },
    {
      method: 'GET',
      path: '/orders/:id',
      scope: 'orders:read',
      answers: OrderSchema,
      handle: (request) =>
        readGetOrder(request).asyncAndThen(({ id, notModified }) =>
          domain
            .getOrder(request.principal.owner, id)
            .mapErr(toProblem)
            .map((order) => presentRead(order, notModified(order.version))),
        ),
    },
    {
      method: 'PATCH',
      path: '/orders/:id',
      scope: 'orders:write',
      accepts: PATCH_TYPES,
      answers: OrderSchema,
      handle: (request) =>
        readChangeOrder(request)
          .andThen(({ id, options }) => readJson(request).map((body) => ({ id, options, body })))
          .asyncAndThen(({ id, options, body }) =>
            domain.changeOrder(request.principal.owner, id, body, options).mapErr(toProblem).map(presentChanged),
          ),
    },
    {
      method: 'DELETE',
      path: '/orders/:id',
      scope: 'orders:write',
      handle: (request) =>
        readChangeOrder(request).asyncAndThen(({ id, options }) =>
          domain.deleteOrder(request.principal.owner, id, options).mapErr(toProblem).map(presentDeleted),
        ),
    },
    {
      method: 'GET',
      path: '/orders/:id/items',
      scope: 'orders:read',
      answers: LineItemListSchema,
      handle: (request) =>
        readListItems(request).asyncAndThen(({ id, input, scope, page }) =>
          domain
            .listOrderItems(request.principal.owner, id, input)
            .mapErr(toListProblem)
            .map((items) => presentPage(request, scope, page, items)),
        ),
    },
    {
      method: 'POST',
      path: '/orders/:id/cancel',
      scope: 'orders:write',
      accepts: JSON_TYPE,
      answers: OrderSchema,
      handle: (request) =>
        readChangeOrder(request)
          .andThen(({ id, options }) => readJson(request, {}).map((body) => ({ id, options, body })))
          .asyncAndThen(({ id, options, body }) =>
            domain.cancelOrder(request.principal.owner, id, body, options).mapErr(toProblem).map(presentChanged),
          ),
    },
  ];
}
