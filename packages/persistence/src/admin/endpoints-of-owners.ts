import type { Owner, Timestamp, Unavailable } from '@orders/domain';
import type { ResultAsync } from 'neverthrow';
import type { OrdersDatabase } from '../database/database.ts';
import { aboutOwners, among, type Owners } from '../owners/living-owners.ts';
import { type Found, OwnerWalk } from '../owners/owner-walk.ts';
import { orUnavailable } from '../postgres/postgres-errors.ts';
import { sql } from '../sql/sql.ts';
import { digestOf } from './owners-places.ts';
import { readTimestamp, readTimestampOrNull } from '../tables/timestamp-type.ts';
import { joinNewestQueue } from '../webhooks/queue-conditions.ts';

/** The most endpoints whose owners are counted. */
const ENDPOINTS_COUNTED_MAX = 1_000_000;
/** Deliveries of an endpoint that are counted. */
const PENDING_COUNTED_MAX = 1000;

/** Endpoints per statement: few enough that it reads less than 10,000 deliveries. */
const PER_STATEMENT = 9;

/** Where a page begins: behind an endpoint, and a delivery of it. It has no owner, which may be a person. */
export interface OwnersPlace {
  readonly owner_digest: string;
  readonly endpoint_id: string;
  /** Of the delivery. */
  readonly position: number;
}

/** The place of an endpoint among those of all owners. */
export interface EndpointPlace {
  readonly owner: Owner;
  readonly endpoint_id: string;
}

/** A webhook endpoint of any owner, and how its deliveries go. */
export interface EndpointHealth {
  readonly owner: Owner;
  readonly id: string;
  /** Without what follows its host, which may be a secret. */
  readonly url: string;
  readonly status: string;
  readonly disabled_reason: string | null;
  readonly created_at: Timestamp;
  /** When it last accepted a delivery. */
  readonly last_success_at: Timestamp | null;
  /** When the oldest delivery was attempted first that it has not accepted since then; `null` while it accepts them. */
  readonly failing_since: Timestamp | null;
  /** Deliveries with attempts left; at most 1,000 are counted. */
  readonly pending: number;
  /** Events of the feed that were not turned into deliveries yet, wanted or not. */
  readonly behind: number;
}

/** How much of the owners a page of a list of all has looked at. */
export interface LookedAt {
  /** The number of owners with endpoints up to the end of the page. */
  readonly looked_at: number;
  /** The number of all of them; `null` while a node of Citus does not respond, whose owners are left out. */
  readonly all: number | null;
}

/** A page of what belongs to several owners. */
export interface OwnersPageOf<Row> {
  readonly data: readonly Row[];
  readonly next: OwnersPlace | null;
  readonly owners: LookedAt;
}

/** Which endpoints to list, by owner and id. */
export interface EndpointQuery {
  /** `null` for those of all owners. */
  readonly owner: Owner | null;
  readonly after: OwnersPlace | null;
  /** At most 100. */
  readonly limit: number;
}

interface Range {
  readonly owner: Owner;
  readonly id: string;
  readonly limit: number;
}

type Row = Omit<EndpointHealth, 'created_at' | 'last_success_at' | 'failing_since' | 'behind'> & {
  readonly created_at: string;
  readonly last_success_at: string | null;
  readonly failing_since: string | null;
  readonly behind: string;
};

/** The begin of a list by owner and id. */
export const FIRST_PLACE: EndpointPlace = { owner: '', endpoint_id: '00000000-0000-0000-0000-000000000000' };

/** Behind every id. */
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Lists the webhook endpoints of all owners, those in reach while a node of Citus is down; `null` behind an unknown place. */
export type ListEndpoints = (query: EndpointQuery) => ResultAsync<OwnersPageOf<EndpointHealth> | null, Unavailable>;

/** Returns what lists the webhook endpoints of all owners of this database. */
export function postgresEndpointsOfOwners(database: OrdersDatabase): ListEndpoints {
  const { orm, primary } = database;
  const owner = sql`e.owner_id`;
  const page = aboutOwners<Range, Row>(orm)`
      select e.owner_id as owner, e.id, e.url, e.status, e.disabled_reason, e.created_at, q.last_success_at,
        case when q.failing > 0 then r.failing_since end as failing_since, p.pending,
        greatest(coalesce((select c.position from our.changes as c
            where c.owner_id = ${owner} and ${among('c.owner_id')} and c.position is not null
            order by c.position desc limit 1), f.purged, 0) - greatest(coalesce(q.position, e.start), coalesce(f.purged, 0)), 0)
          as behind
      from our.webhook_endpoints as e
      ${(...of) => joinNewestQueue(owner, (column) => among(column)(...of))}
      left join our.feeds as f on f.owner_id = ${owner} and ${among('f.owner_id')}
      cross join lateral (
        select count(*)::int as pending from (
          select from our.webhook_deliveries as d
          where d.owner_id = ${owner} and ${among('d.owner_id')} and d.endpoint_id = e.id and d.status = 'pending'
          limit ${sql.lit(PENDING_COUNTED_MAX)}) as d
      ) as p
      cross join lateral (
        select min(d.first_attempt_at) as failing_since from (
          select d.first_attempt_at from our.webhook_deliveries as d
          where d.owner_id = ${owner} and ${among('d.owner_id')} and d.endpoint_id = e.id and not d.fresh and d.due_at is not null
          limit 100) as d
        where d.first_attempt_at > coalesce(q.last_success_at, '-infinity')
      ) as r
      where (e.owner_id, e.id) > (${'owner'}, ${'id'}::uuid) and ${among('e.owner_id')}
      order by e.owner_id, e.id limit ${'limit'}::int`;
  const [lookedAt, beginOf] = [countEndpointOwners(database), beginOfPage(database)];

  const read = async ({ owner: only, after, limit }: EndpointQuery) => {
    const reach = inReach(database, only);
    const readFrom = ({ owner: begin, endpoint_id: id }: EndpointPlace, size: number): Promise<Found<Row>> =>
      reach.read(begin, (owners) => page(primary, { owner: begin, id, limit: size }, owners));
    const data: Row[] = [];
    const begin = await beginOf(reach, after);
    if (!begin) return null;
    for (let place: EndpointPlace | null = begin; place !== null && data.length <= limit;) {
      const size = Math.min(PER_STATEMENT, limit + 1 - data.length);
      const { rows, next } = await readFrom(place, size);
      data.push(...rows);
      const last = rows.length === size ? rows.at(-1) : undefined;
      place = last ? { owner: last.owner, endpoint_id: last.id } : placeAfter(next);
    }
    const shown = data.slice(0, limit);
    const last = data.length > limit ? shown.at(-1) : undefined;
    return {
      data: shown.map(({ url, created_at, last_success_at, failing_since, behind, ...row }) => ({
        ...row,
        url: `${new URL(url).origin}/`,
        created_at: readTimestamp(created_at),
        last_success_at: readTimestampOrNull(last_success_at),
        failing_since: readTimestampOrNull(failing_since),
        behind: Number(behind),
      })),
      next: last ? toOwnersPlace({ owner: last.owner, endpoint_id: last.id, position: 0 }) : null,
      owners: await lookedAt(reach, last?.owner ?? null),
    };
  };
  return (query) => orUnavailable(read(query));
}

/**
 * Returns the place behind all endpoints of an owner; `null` for none.
 *
 * @internal
 */
export function placeAfter(owner: Owner | null): EndpointPlace | null {
  return owner === null ? null : { owner, endpoint_id: LAST_ID };
}

/** Returns a text that no owner is between and the given one, which comes after it. */
function before(owner: Owner): string {
  return owner === ''
    ? ''
    : `${owner.slice(0, -1)}${String.fromCodePoint((owner.codePointAt(owner.length - 1) ?? 1) - 1)}~`;
}

/**
 * The owners of a list that are in reach.
 *
 * @internal
 */
export interface Reach {
  /**
   * Reads rows of one owner, or of all from one on. While a node of Citus is down, of the next 1,000 owners on the others;
   * `next` is the last of them if there are more.
   */
  read<T>(from: Owner, read: (owners: Owners) => Promise<readonly T[]>): Promise<Found<T>>;
  isNodeDown(): boolean;
}

/**
 * Returns the owners in reach: the given one, or all that have an endpoint.
 *
 * @internal
 */
export function inReach(database: OrdersDatabase, only: Owner | null): Reach {
  let isNodeDown = false;
  const walk = new OwnerWalk(database, 'webhook_endpoints', { onNodeDown: () => (isNodeDown = true) });
  return {
    read: async (from, read) => {
      const search = async (_: Owner, owners: Owners) => ({ rows: await read(owners), next: null });
      return await (only === null ? walk.page(search, before(from)) : search(only, [only]));
    },
    isNodeDown: () => isNodeDown,
  };
}

/**
 * Returns what a place is for callers.
 *
 * @internal
 */
export function toOwnersPlace({ owner, ...place }: EndpointPlace & Pick<OwnersPlace, 'position'>): OwnersPlace {
  return { owner_digest: digestOf(owner), ...place };
}

/**
 * Returns what finds where a page begins; `null` for a place of an owner without endpoints.
 *
 * @internal
 */
export function beginOfPage({ orm, primary }: Pick<OrdersDatabase, 'orm' | 'primary'>) {
  const list = aboutOwners<object, { owner: Owner }>(orm)`
      select distinct e.owner_id as owner from our.webhook_endpoints as e where ${among('e.owner_id')}`;
  return async (reach: Reach, after: OwnersPlace | null) => {
    if (!after) return { ...FIRST_PLACE, position: Number.MAX_SAFE_INTEGER };
    const { owner_digest, endpoint_id, position } = after;
    const { rows } = await reach.read('', (owners) => list(primary, {}, owners));
    const found = rows.find(({ owner }) => digestOf(owner) === owner_digest);
    return found ? { owner: found.owner, endpoint_id, position } : null;
  };
}

/**
 * Returns what counts the owners with endpoints that a page has looked at, up to its last one, `null` at the end.
 *
 * @internal
 */
export function countEndpointOwners({ orm, primary }: Pick<OrdersDatabase, 'orm' | 'primary'>) {
  const count = aboutOwners<{ until: Owner }, { all_owners: number; looked_at: number }>(orm)`
      select count(distinct e.owner_id)::int as all_owners,
        (count(distinct e.owner_id) filter (where e.owner_id <= ${'until'}))::int as looked_at
      from (
        select e.owner_id from our.webhook_endpoints as e where ${among('e.owner_id')}
        order by e.owner_id limit ${sql.lit(ENDPOINTS_COUNTED_MAX)}) as e`;
  return async (reach: Reach, until: Owner | null): Promise<LookedAt> => {
    const { rows } = await reach.read('', (owners) => count(primary, { until: until ?? '' }, owners));
    const [row] = rows;
    const { all_owners: all = 0, looked_at = 0 } = row ?? {};
    return { looked_at: until === null ? all : looked_at, all: reach.isNodeDown() ? null : all };
  };
}
