import { isOwner } from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { OwnerLoads } from '../../admission/owner-loads.ts';
import type { OwnerRateLimits } from '../../admission/owner-settings.ts';
import { GET } from '../../api/operation.ts';
import { nullable, PAGE_QUERY, pageOf, TEXT, Timestamp } from '../../api/schemas.ts';
import { toProblem } from '../../problems/from-domain.ts';
import { encodeCursor } from '../../request/cursor.ts';
import { readCursor } from '../../request/page-request.ts';
import { RequestFaults } from '../../request/request-faults.ts';
import { isRecord, readAction, readQuery } from '../../request/request-parameters.ts';
import { uncached } from '../../response/responses.ts';
import type { OperatorOperation, OwnerDirectory, OwnerSettingsStore } from '../operator.ts';
import { byOperator, operatorOf } from '../operator-principals.ts';
import { ADMINISTRATION, JSON_BODY, OF_NO_OWNER } from './operation-kinds.ts';
import { optional, readBody, readBoolean, type ReadMember, readOwner } from './read-body.ts';
import { readLimit } from './read-newest-query.ts';
import { OwnerName } from './schemas.ts';

/** As the variables of the server allow. */
const RATE_MAX = 1_000_000_000;

const RateLimit = nullable(Type.Integer({ format: 'int32', minimum: 0, maximum: RATE_MAX }), {
  description: 'Per minute; 0 for no limit, null for that of the server',
});
const LIMITS = { read: RateLimit, write: RateLimit, batch: RateLimit };

/** What is set for an owner. */
const SETTINGS = {
  suspended_at: nullable(Timestamp, { description: 'Since when its requests are refused' }),
  rate_limits: nullable(Type.Object(LIMITS), { description: 'Null if all are those of the server' }),
};
const OwnerSettings = Type.Object({ owner: OwnerName, ...SETTINGS }, { title: 'OwnerSettings' });
const OwnerChange = Type.Object(
  {
    owner: OwnerName,
    suspended: Type.Optional(Type.Boolean()),
    rate_limits: Type.Optional(
      nullable(Type.Partial(Type.Object(LIMITS), { additionalProperties: false }), {
        description: 'In place of all earlier ones. An absent limit, as null, is that of the server',
      }),
    ),
  },
  { title: 'OwnerChange', additionalProperties: false },
);

const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const OrderCounts = Type.Object({
  since: nullable(Timestamp, { description: 'The day from which orders are counted; null if all are' }),
  by_status: Type.Array(Type.Object({ status: Type.String({ ...TEXT, maxLength: 64 }), orders: Count }), {
    maxItems: 100,
    description: 'Orders that have entered a status, most first; `placed` are all',
  }),
});
const OwnerLoad = Type.Object(
  {
    requests: Count,
    rate_limited: Type.Integer({ ...Count, description: 'Of these, those that got 429' }),
    unavailable: Type.Integer({ ...Count, description: 'Of these, those that got 503' }),
    busy_ms: Type.Number({ minimum: 0, maximum: 60_000, description: 'Time of the event loop, in milliseconds' }),
  },
  { description: 'On this server, in the last minute' },
);
const ListedOwner = Type.Object(
  {
    owner: OwnerName,
    first_event_at: nullable(Timestamp, { description: 'Of the events that are kept' }),
    last_event_at: nullable(Timestamp, { description: 'Of the events that are kept' }),
    orders: nullable(OrderCounts, { description: 'Null while they are not counted' }),
    ...SETTINGS,
    load: OwnerLoad,
  },
  { title: 'Owner' },
);

/** Which owners are listed: those with events, those for whom something is set, those that use most of this server. */
const SELECTIONS = ['all', 'set', 'busiest'] as const;
type Selection = (typeof SELECTIONS)[number];

/** What operations on owners use. */
export interface OwnerParts {
  readonly owners: OwnerDirectory;
  readonly ownerStore: OwnerSettingsStore;
  /** What owners use of this process. */
  readonly loads: OwnerLoads;
  readonly now: () => Date;
}

/** Returns the operations on owners. */
export function ownerOperations({ owners, ownerStore, loads, now }: OwnerParts): readonly OperatorOperation[] {
  return [
    {
      id: 'list_owners',
      summary: 'List owners',
      description:
        'The owners with events, by name: when the oldest and the newest event that are kept occurred, how many orders have entered each status, what is set, and the load of this server. Or those for whom something is `set`, or the `busiest` on this server, or the one in `Orders-Owner`. `complete` is false when a node of the database did not respond, or the time was up: owners may be missing, or what is known of them.',
      ...GET,
      ...OF_NO_OWNER,
      about: 'owner_or_all',
      path: '/admin/v1/owners',
      role: 'viewer',
      query: {
        limit: PAGE_QUERY.limit,
        after: PAGE_QUERY.after,
        select: Type.String({
          enum: [...SELECTIONS],
          default: 'all',
          description: 'Which owners. `busiest` has one page',
        }),
      },
      response: {
        schema: Type.Object(
          { ...pageOf('Owners', ListedOwner).properties, complete: Type.Boolean() },
          { title: 'Owners' },
        ),
      },
      handle: (request) => {
        const { owner } = operatorOf(request);
        return readOwnersQuery(request).asyncAndThen(({ limit, after, select }) => {
          const found = () => {
            if (owner !== null) return owners.describe([owner]);
            if (select === 'busiest') return owners.describe(loads.busiest(limit));
            return select === 'set' ? owners.listSet(after, limit) : owners.list(after, limit);
          };
          return found()
            .mapErr(toProblem)
            .andThen(({ owners: data, next, is_complete: complete }) => {
              const next_cursor = next && encodeCursor(cursorsOf(select), { value: next, id: '' });
              const page = { limit, has_more: next !== null, next_cursor };
              return uncached({ data: data.map((each) => ({ ...each, load: loads.of(each.owner) })), page, complete });
            });
        });
      },
    },
    {
      id: 'change_owner',
      summary: 'Suspend or limit an owner, or end it',
      description:
        'Requests of a suspended owner get 403 `owner_suspended`. Its events and webhooks go on, and operators still act for it. Both take effect within ten seconds on all servers. What is absent stays as it is.',
      method: 'POST',
      ...ADMINISTRATION,
      path: '/admin/v1/owner_changes',
      body: {
        ...JSON_BODY,
        schema: OwnerChange,
        examples: {
          suspend: { owner: 'shop', suspended: true },
          limit: { owner: 'shop', rate_limits: { read: 1200, write: null } },
        },
      },
      response: { schema: OwnerSettings },
      handle: (request) =>
        readAction(request)
          .andThen(() =>
            readBody(request, {
              owner: readOwner,
              suspended: optional(readBoolean),
              rate_limits: optional(readRateLimits),
            }),
          )
          .asyncAndThen(({ owner, ...change }) =>
            ownerStore
              .change(owner, change, now().toISOString(), byOperator(request))
              .mapErr(toProblem)
              .andThen(({ settings }) => uncached(settings)),
          ),
    },
  ];
}

const readRateLimits: ReadMember<OwnerRateLimits | null> = (input, name, invalid) => {
  if (input === null) return null;
  if (!isRecord(input) || Array.isArray(input)) return invalid.add(name, 'wrong_type', 'must be an object or null');
  invalid.rejectUnknownFields(input, Object.keys(LIMITS), name);
  const read = (policy: keyof typeof LIMITS) => {
    const limit = input[policy] ?? null;
    return limit === null ? null : (invalid.readInteger(limit, `${name}.${policy}`, 0, RATE_MAX) ?? null);
  };
  return { read: read('read'), write: read('write'), batch: read('batch') };
};

function cursorsOf(select: Selection) {
  return { list: 'owners', sort: 'owner', filter: [select], value: 'string' } as const;
}

/** Reads which owners to list. */
function readOwnersQuery(request: FastifyRequest) {
  const faults = RequestFaults.of(request);
  const sent = readQuery(request, ['limit', 'after', 'select'], faults);
  const limit = readLimit(sent.limit, faults);
  const select = SELECTIONS.find((each) => each === (sent.select ?? 'all'));
  if (!select) faults.add('invalid_parameter', 'select', 'invalid_value', `must be one of ${SELECTIONS.join(', ')}`);
  const after = readCursor(sent.after, cursorsOf(select ?? 'all'), faults)?.value ?? null;
  // A client may have made it up.
  if (after !== null && !isOwner(after))
    faults.add('invalid_cursor', 'after', 'invalid_value', 'must be a next_cursor of this list and query');
  return faults.toResult({ limit, after, select: select ?? 'all' });
}
