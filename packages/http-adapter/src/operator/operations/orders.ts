import type { OrderDefinition, Position } from '@orders/domain';
import {
  filtersOfOwners,
  type ListedOrder,
  type OrderFinder,
  type OwnersOrderQuery,
  type OwnersOrderQueryInput,
  parseOwnersOrderQuery,
  parseOwnersOrderSearch,
} from '@orders/domain/operators';
import type { FastifyRequest } from 'fastify';
import { err, ok } from 'neverthrow';
import { Type } from 'typebox';
import { orderStatus } from '../../api/definition-schemas.ts';
import { GET, READ } from '../../api/operation.ts';
import {
  Email,
  filterQuery,
  Money,
  nullable,
  PAGE_QUERY,
  pageOf,
  type SchemasOf,
  TEXT,
  Timestamp,
  Uuid,
  Version,
} from '../../api/schemas.ts';
import { toListProblem, toProblem } from '../../problems/from-domain.ts';
import type { Problem } from '../../problems/problem.ts';
import { encodeCursor } from '../../request/cursor.ts';
import { readJson } from '../../request/json-body.ts';
import { JSON_TYPES } from '../../request/media-types.ts';
import { readSortedList, withPosition } from '../../request/page-request.ts';
import { isRecord, readAction } from '../../request/request-parameters.ts';
import { presentPage } from '../../response/page-response.ts';
import { uncached } from '../../response/responses.ts';
import { type Acting, looksUpCustomData, recordRead } from '../acting-for-owner.ts';
import { includesRole, insufficientRole, type OperatorOperation } from '../operator.ts';
import { operatorOf } from '../operator-principals.ts';
import { OwnerName } from './schemas.ts';

/** What the operations on orders of several owners use. */
export interface OrderParts extends Pick<Acting, 'audit'> {
  readonly orders: OrderFinder;
  readonly definition: OrderDefinition;
}

const OwnersOrderSearch = Type.Object(
  { buyer_email: Email, limit: Type.Optional(PAGE_QUERY.limit), after: Type.Optional(PAGE_QUERY.after) },
  { title: 'OwnersOrderSearch', description: 'What orders are found by, and the page', additionalProperties: false },
);

const Listed = Type.Object(
  {
    owner: OwnerName,
    id: Uuid,
    status: Type.String({ ...TEXT, maxLength: 255, description: 'Also one that the definition lacks' }),
    reference: nullable(Type.String({ ...TEXT, maxLength: 64 })),
    customer_id: nullable(Uuid),
    total: Money,
    version: Version,
    created_at: Timestamp,
    updated_at: Timestamp,
  } satisfies SchemasOf<ListedOrder>,
  { title: 'ListedOrder', description: 'An order with its owner, without what may be personal' },
);

const COUNT = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
/** The owners that a list of all of them has looked at. */
export const LookedAt = Type.Object(
  {
    looked_at: Type.Integer({ ...COUNT, description: 'Those up to the end of this page' }),
    all: nullable(Type.Integer(COUNT), { description: 'Null while a node of the database does not respond' }),
    passed_over: Type.Array(OwnerName, {
      maxItems: 10_000,
      description: 'Those of which nothing could be read, such as on a node that does not respond',
    }),
  },
  { title: 'LookedAtOwners', description: 'The owners that the list has looked at' },
);

const ListedOrders = Type.Object(
  { ...pageOf('ListedOrders', Listed).properties, owners: LookedAt },
  { title: 'ListedOrders', description: 'One page of orders, newest first within the owners that it looks at' },
);

const OF_OWNERS = { about: 'owner_or_all', changes: false, reveals: () => false } as const;
const PAGES =
  'Of the owner in `Orders-Owner`, or of all owners: a page then looks at some of them, for two seconds at most. It may have no order although `has_more` is true.';
const PARAMETERS = ['limit', 'after'] as const;
const INVALID_CURSOR: Problem = toListProblem({
  type: 'validation_failed',
  errors: [{ field: 'after', code: 'invalid_value', message: 'must be a next_cursor of this list and query' }],
});

/** The cursors of a search depend on no email, which a digest would reveal. */
const FOUND = { list: 'operator_order_searches', sort: '-created_at', filter: [], value: 'string' } as const;

/** Returns the operations that list orders of one owner or all. */
export function orderOperations({ orders, definition, audit }: OrderParts): readonly OperatorOperation[] {
  const filters = filtersOfOwners(definition);
  const parse = (input: OwnersOrderQueryInput) => parseOwnersOrderQuery(input, definition);
  const find = (request: FastifyRequest, query: OwnersOrderQuery, after: Position<string> | null) =>
    orders.find(operatorOf(request).owner, query, after).map(({ lookedAt, owners: all, passedOver, ...page }) => {
      return { page, owners: { looked_at: lookedAt, all, passed_over: passedOver } };
    });
  /** Records what confirms that a person is there. */
  const recorded = <Found>(request: FastifyRequest, id: string, found: Found) =>
    recordRead(request, { id, scope: 'orders:read' }, { audit }).map(() => found);
  return [
    {
      id: 'list_all_orders',
      summary: 'List orders of one owner or all',
      description: `${PAGES} Totals are in minor units. A viewer cannot use \`lookup\`.`,
      ...GET,
      ...OF_OWNERS,
      path: '/admin/v1/orders',
      role: 'viewer',
      query: {
        limit: PAGE_QUERY.limit,
        after: PAGE_QUERY.after,
        ...filterQuery(filters, { status: orderStatus(definition) }),
      },
      response: { schema: ListedOrders },
      handle: (request) =>
        readSortedList(request, 'operator_orders', filters, parse, PARAMETERS)
          .andThen(({ input, page }) =>
            parse(input)
              .map((query) => ({ query, page }))
              .mapErr(toListProblem),
          )
          // An order that is found by custom data would show a viewer what it is.
          .andThen((read) =>
            read.query.lookup === null || includesRole(operatorOf(request).role, 'support')
              ? ok(read)
              : err(insufficientRole('support')),
          )
          .asyncAndThen(({ query, page }) =>
            find(request, query, positionOf(page.after))
              .mapErr(toFinderProblem)
              .andThen((found) =>
                looksUpCustomData(request) ? recorded(request, 'list_all_orders', found) : ok(found),
              )
              .andThen((found) =>
                presentPage(request, page, found.page).map((response) => ({
                  ...response,
                  body: { ...(isRecord(response.body) && response.body), owners: found.owners },
                })),
              ),
          ),
    },
    {
      id: 'search_all_orders',
      summary: 'Find orders of one owner or all by email',
      description: `The buyer has this email, in any case. ${PAGES} Changes nothing, and counts as a read.`,
      method: 'POST',
      ...OF_OWNERS,
      path: '/admin/v1/order_searches',
      role: 'support',
      cost: READ,
      body: {
        types: JSON_TYPES,
        schema: OwnersOrderSearch,
        required: true,
        examples: { ada: { buyer_email: 'ada@example.com' } },
      },
      response: { schema: ListedOrders },
      handle: (request) =>
        readAction(request)
          .andThen(() => readJson(request))
          .andThen((sent) => {
            const body = withPosition(sent, FOUND);
            const { after = null, ...search } = isRecord(body) ? body : {};
            const input = isRecord(body) ? search : body;
            return parseOwnersOrderSearch(input, definition)
              .map((query) => ({ query, after: positionOf(after) }))
              .mapErr(toProblem);
          })
          .asyncAndThen(({ query, after }) =>
            find(request, query, after)
              .mapErr(toFinderProblem)
              .andThen((found) => recorded(request, 'search_all_orders', { query, ...found })),
          )
          .andThen(({ query: { limit }, page: { data, next }, owners }) =>
            uncached({
              data,
              page: { limit, has_more: next !== null, next_cursor: next && encodeCursor(FOUND, next) },
              owners,
            }),
          ),
    },
  ];
}

type FinderError = Parameters<Parameters<ReturnType<OrderFinder['find']>['mapErr']>[0]>[0];

function toFinderProblem(error: FinderError): Problem {
  return error.type === 'unknown_position' ? INVALID_CURSOR : toProblem(error);
}

/** Returns the position of a cursor; `null` without one. */
function positionOf(after: unknown): Position<string> | null {
  if (!isRecord(after)) return null;
  const { value, id } = after;
  return { value: String(value), id: String(id) };
}
