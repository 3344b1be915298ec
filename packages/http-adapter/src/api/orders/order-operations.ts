import {
  orderFilters,
  type OrderQueryInput,
  PAGE_LIMIT_DEFAULT,
  parseOrderQuery,
  parseOrderSearch,
  type UntypedDomain,
} from '@orders/domain';
import { Type } from 'typebox';
import { changed, created, toResponse, uncached } from '../../response/responses.ts';
import { readJson } from '../../request/json-body.ts';
import { JSON_TYPES, PATCH_TYPES } from '../../request/media-types.ts';
import { encodeCursor } from '../../request/cursor.ts';
import { readSortedList, withPosition } from '../../request/page-request.ts';
import {
  CHANGE_HEADERS,
  CREATION_HEADERS,
  readAction,
  readChange,
  readCreation,
} from '../../request/request-parameters.ts';
import { ownerOf } from '../../request-state.ts';
import { orderStatus } from '../definition-schemas.ts';
import { GET, type Operation, READ, WRITE } from '../operation.ts';
import { deletion, listing, retrieval } from '../resource-operations.ts';
import { DateTime, Email, filterQuery, PAGE_QUERY, RANGES, SORT_QUERY } from '../schemas.ts';
import { orderBodies } from './order-bodies.ts';
import { CANCEL_PROBLEMS, orderCommands } from './order-commands.ts';
import { BUYER, orderExamples } from './order-examples.ts';
import { readGetVersion, readListItems, readListVersions } from './read-order-requests.ts';
import { LineItemList, orderSchemas } from './order-schemas.ts';

const OrderSearch = Type.Object(
  {
    buyer_email: Email,
    limit: Type.Optional(PAGE_QUERY.limit),
    after: Type.Optional(PAGE_QUERY.after),
  },
  { title: 'OrderSearch', description: 'What orders are found by, and the page', additionalProperties: false },
);

/** The cursors of orders that are found by email. They depend on no email, which a digest would reveal. */
const FOUND = { list: 'order_searches', sort: '-created_at', filter: [], value: 'string' } as const;

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
      description: `Returns one page of your orders, with their items. A page has at least one order. It ends early if its orders would exceed 1,000 items, adjustments and items of fulfillments, or 256 KiB of notes and metadata, in total. ${RANGES} The same holds for \`status\`, \`customer_id\` and ranges beside \`reference_prefix\`, and for all but ranges of \`created_at\` beside \`lookup\`.`,
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
      id: 'search_orders',
      summary: 'Find orders by email',
      description:
        'Returns one page of the orders whose buyer has this email, in any case, newest first, those of guests, too. The email of a customer is not compared. Email and cursor are in the body, because URLs must not contain personal data. Changes nothing, and counts as a read.',
      method: 'POST',
      path: '/order_searches',
      scope: 'orders:read',
      cost: READ,
      body: {
        types: JSON_TYPES,
        schema: OrderSearch,
        required: true,
        examples: { ada: { buyer_email: BUYER.email } },
      },
      response: { schema: OrderList },
      handle: (request) =>
        readAction(request)
          .andThen(() => readJson(request))
          .asyncAndThen((body) => {
            const query = withPosition(body, FOUND);
            return toResponse(domain.searchOrders(ownerOf(request), query), ({ data, next }) => {
              const limit = parseOrderSearch(query, definition).unwrapOr({ limit: PAGE_LIMIT_DEFAULT }).limit;
              return uncached({
                data,
                page: { limit, has_more: next !== null, next_cursor: next && encodeCursor(FOUND, next) },
              });
            });
          }),
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
