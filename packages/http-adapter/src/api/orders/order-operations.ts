import { orderFilters, type OrderQueryInput, parseOrderQuery, type UntypedDomain } from '@orders/domain';
import { Type } from 'typebox';
import { changed, created, toResponse, uncached } from '../../response/responses.ts';
import { readJson } from '../../request/json-body.ts';
import { JSON_TYPES, PATCH_TYPES } from '../../request/media-types.ts';
import { readSortedList } from '../../request/page-request.ts';
import { CHANGE_HEADERS, CREATION_HEADERS, readChange, readCreation } from '../../request/request-parameters.ts';
import { ownerOf } from '../../request-state.ts';
import { orderStatus } from '../definition-schemas.ts';
import { GET, type Operation, WRITE } from '../operation.ts';
import { deletion, listing, retrieval } from '../resource-operations.ts';
import { DateTime, filterQuery, PAGE_QUERY, RANGES, SORT_QUERY } from '../schemas.ts';
import { orderBodies } from './order-bodies.ts';
import { CANCEL_PROBLEMS, orderCommands } from './order-commands.ts';
import { orderExamples } from './order-examples.ts';
import { readGetVersion, readListItems, readListVersions } from './read-order-requests.ts';
import { LineItemList, orderSchemas } from './order-schemas.ts';

/** Returns the operations on orders. */
export function orderOperations(domain: UntypedDomain): readonly Operation[] {
  const { definition } = domain;
  const { Order, OrderVersion, OrderList, OrderVersionList } = orderSchemas(definition);
  const filters = orderFilters(definition);
  const parse = (input: OrderQueryInput) => parseOrderQuery(input, definition);
  const { NewOrder, OrderChange } = orderBodies(definition);
  const { NEW_ORDER, CHANGES } = orderExamples(definition);
  return [
    {
      id: 'list_orders',
      summary: 'List orders',
      description: `Returns one page of your orders, with their items. A page has at least one order. It ends early if its orders would exceed 1,000 items, adjustments and items of fulfillments, or 256 KiB of notes and metadata, in total. ${RANGES} The same holds for \`status\`, \`customer_id\` and ranges beside \`reference_prefix\`.`,
      ...GET,
      path: '/orders',
      scope: 'orders:read',
      query: {
        ...PAGE_QUERY,
        ...SORT_QUERY,
        ...filterQuery(filters, { status: orderStatus(definition) }),
      },
      response: { schema: OrderList },
      handle: listing(
        (request) => readSortedList(request, 'orders', filters, parse),
        (owner, { input }) => domain.listOrders(owner, input),
      ),
    },
    {
      id: 'place_order',
      summary: 'Place an order',
      description: 'The server computes all totals. A retry with the same `Idempotency-Key` places no second order.',
      method: 'POST',
      path: '/orders',
      scope: 'orders:write',
      cost: WRITE,
      supports: CREATION_HEADERS,
      body: { types: JSON_TYPES, schema: NewOrder, required: true, examples: { mugs: NEW_ORDER } },
      status: 201,
      response: { schema: Order },
      problems: ['currency_mismatch', 'amount_out_of_range', 'negative_total', 'reference_taken', 'customer_erased'],
      handle: (request) =>
        readCreation(request)
          .andThen((options) => readJson(request).map((body) => ({ options, body })))
          .asyncAndThen(({ options, body }) =>
            toResponse(domain.placeOrder(ownerOf(request), body, options), ({ order, replayed }) =>
              created(request, '/orders', order, replayed),
            ),
          ),
    },
    {
      id: 'get_order',
      summary: 'Read an order',
      path: '/orders/:id',
      scope: 'orders:read',
      ...retrieval(Order, domain.getOrder),
    },
    {
      id: 'change_order',
      summary: 'Change an order',
      description:
        'Applied completely or not at all. A patch that changes no value succeeds and leaves `version` and `updated_at` unchanged.',
      method: 'PATCH',
      path: '/orders/:id',
      scope: 'orders:write',
      cost: WRITE,
      supports: CHANGE_HEADERS,
      body: {
        types: PATCH_TYPES,
        schema: OrderChange,
        required: true,
        examples: CHANGES,
      },
      response: { schema: Order },
      problems: [...CANCEL_PROBLEMS, 'order_not_modifiable', 'reference_taken', 'customer_erased'],
      handle: (request) =>
        readChange(request)
          .andThen(({ id, options }) => readJson(request).map((body) => ({ id, options, body })))
          .asyncAndThen(({ id, options, body }) =>
            toResponse(domain.changeOrder(ownerOf(request), id, body, options), ({ order, replayed }) =>
              changed(order, replayed),
            ),
          ),
    },
    {
      id: 'delete_order',
      summary: 'Delete an order',
      description: 'Possible in every status. Frees the `reference` of the order.',
      path: '/orders/:id',
      scope: 'orders:write',
      ...deletion(domain.deleteOrder),
    },
    {
      id: 'list_order_items',
      summary: 'List the items of an order',
      description: 'Returns one page of the items, in line order.',
      ...GET,
      path: '/orders/:id/items',
      scope: 'orders:read',
      query: PAGE_QUERY,
      response: { schema: LineItemList },
      handle: listing(readListItems, (owner, { id, input }) => domain.listOrderItems(owner, id, input)),
    },
    {
      id: 'list_order_versions',
      summary: 'List the versions of an order',
      description:
        'Returns one page of the versions, newest first, also after the deletion of the order. A page ends early like a page of orders.',
      ...GET,
      path: '/orders/:id/versions',
      scope: 'orders:read',
      query: {
        limit: PAGE_QUERY.limit,
        after: PAGE_QUERY.after,
        at: Type.Unsafe<string>({
          ...DateTime,
          description:
            'Only the version that was current at this time, if any. In the years 1 to 9999 (UTC). Cannot be combined with `after`',
        }),
      },
      response: { schema: OrderVersionList },
      handle: listing(readListVersions, (owner, { id, input }) => domain.listOrderVersions(owner, id, input)),
    },
    {
      id: 'get_order_version',
      summary: 'Read a version of an order',
      description: 'Returns one version, also after the deletion of the order.',
      ...GET,
      path: '/orders/:id/versions/:version',
      scope: 'orders:read',
      response: { schema: OrderVersion },
      handle: (request) =>
        readGetVersion(request).asyncAndThen(({ id, version }) =>
          toResponse(domain.getOrderVersion(ownerOf(request), id, version), uncached),
        ),
    },
    ...orderCommands(domain),
  ];
}
