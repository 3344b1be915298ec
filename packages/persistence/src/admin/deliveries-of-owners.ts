import type { Owner, Timestamp, Unavailable } from '@orders/domain';
import type { ResultAsync } from 'neverthrow';
import type { OrdersDatabase } from '../database/database.ts';
import { aboutOwners, among } from '../owners/living-owners.ts';
import type { Found } from '../owners/owner-walk.ts';
import { orUnavailable } from '../postgres/postgres-errors.ts';
import { sql } from '../sql/sql.ts';
import { readTimestamp, readTimestampOrNull } from '../tables/timestamp-type.ts';
import {
  beginOfPage,
  countEndpointOwners,
  type EndpointPlace,
  FIRST_PLACE,
  inReach,
  LAST_ID,
  type OwnersPageOf,
  type OwnersPlace,
  placeAfter,
  toOwnersPlace,
} from './endpoints-of-owners.ts';

/** Endpoints of a statement, and deliveries of each that it reads: less than 10,000 together. */
const [ENDPOINTS, DELIVERIES] = [90, 100];

/** Statements of a page. It then ends, also without a row, and the next one goes on. */
const STATEMENTS_MAX = 20;

/** How much later an event may get its position than another one that occurred after it, in milliseconds. */
const DISORDER_MS = 60 * 60 * 1000;

/** The place of a delivery among those of all owners: the newest of an endpoint first. */
interface DeliveryPlace extends EndpointPlace {
  readonly position: number;
}

/** A delivery of any owner. */
export interface DeliveryOfOwner extends DeliveryPlace {
  readonly event_id: string;
  readonly type: string;
  /** What the event is about, such as `order`, and its id. */
  readonly aggregate: string;
  readonly aggregate_id: string;
  readonly status: string;
  readonly attempts: number;
  readonly last_status: number | null;
  readonly last_error: string | null;
  /** When the event occurred. */
  readonly occurred_at: Timestamp;
  /** When the endpoint last accepted it. */
  readonly delivered_at: Timestamp | null;
  readonly next_attempt_at: Timestamp | null;
}

/** Which deliveries to list, by owner and endpoint, the newest event of an endpoint first. */
export interface DeliveryQuery {
  /** `null` for those of all owners. */
  readonly owner: Owner | null;
  /** `null` for those of all endpoints. */
  readonly endpoint_id: string | null;
  /** `null` for every status. */
  readonly status: string | null;
  /** The range of the time of the event; `null` for no limit. */
  readonly from: Timestamp | null;
  readonly before: Timestamp | null;
  readonly after: OwnersPlace | null;
  /** At most 100. */
  readonly limit: number;
}

interface Range extends Pick<DeliveryPlace, 'owner' | 'endpoint_id' | 'position'> {
  readonly status: string;
  readonly least: string;
  readonly most: string;
}

/** The last endpoint of a statement. */
interface Last {
  readonly last_owner: Owner;
  readonly last_id: string;
}

type Row = Omit<DeliveryOfOwner, 'position' | 'occurred_at' | 'delivered_at' | 'next_attempt_at'> & {
  readonly position: string | null;
  readonly occurred_at: string;
  readonly delivered_at: string | null;
  readonly next_attempt_at: string | null;
};

/** Lists the deliveries of all owners, those in reach while a node of Citus is down; `null` behind an unknown place. */
export type ListDeliveries = (query: DeliveryQuery) => ResultAsync<OwnersPageOf<DeliveryOfOwner> | null, Unavailable>;

/**
 * Returns what lists the deliveries of all owners of this database. A page is at most 20 statements, each about the next 90
 * endpoints, and the first 100 deliveries of each.
 */
export function postgresDeliveriesOfOwners(database: OrdersDatabase): ListDeliveries {
  const { orm, primary } = database;
  const endpoints = aboutOwners<Range, EndpointPlace>(orm)`
      select e.owner_id as owner, e.id as endpoint_id from our.webhook_endpoints as e
      where (e.owner_id, e.id) >= (${'owner'}, ${'endpoint_id'}::uuid) and ${among('e.owner_id')}
        and e.id >= ${'least'}::uuid and e.id <= ${'most'}::uuid
      order by e.owner_id, e.id limit ${sql.lit(ENDPOINTS)}`;
  // By a statement of its own: Citus joins the deliveries of endpoints only where these are not limited.
  const prepared = (hasStatus: boolean) => aboutOwners<Range & Last, Row>(orm)`
      select e.owner_id as owner, e.id as endpoint_id, d.position, d.event_id, d.type, d.aggregate, d.aggregate_id, d.status,
        d.attempts, d.last_status, d.last_error, d.occurred_at, d.delivered_at, d.due_at as next_attempt_at
      from our.webhook_endpoints as e
      left join lateral (
        select d.*, c.occurred_at from our.webhook_deliveries as d
        join our.changes as c on c.owner_id = d.owner_id and c.position = d.position and ${among('c.owner_id')}
        where d.owner_id = e.owner_id and d.endpoint_id = e.id and ${among('d.owner_id')}
          and d.position < case when e.owner_id = ${'owner'} and e.id = ${'endpoint_id'}::uuid then ${'position'}::bigint
            else ${sql.lit(Number.MAX_SAFE_INTEGER)} end
          and ${(p) => (hasStatus ? sql`d.status = ${p('status')}` : sql`${p('status')}::text is not null`)}
        order by d.position desc limit ${sql.lit(DELIVERIES)}
      ) as d on true
      where (e.owner_id, e.id) >= (${'owner'}, ${'endpoint_id'}::uuid) and ${among('e.owner_id')}
        and (e.owner_id, e.id) <= (${'last_owner'}, ${'last_id'}::uuid)
        and e.id >= ${'least'}::uuid and e.id <= ${'most'}::uuid
      order by e.owner_id, e.id, d.position desc limit ${sql.lit(ENDPOINTS * DELIVERIES)}`;
  const statements = { ofAny: prepared(false), ofOne: prepared(true) };
  const [lookedAt, beginOf] = [countEndpointOwners(database), beginOfPage(database)];

  const read = async ({ owner: only, endpoint_id, status, from, before, after, limit }: DeliveryQuery) => {
    const reach = inReach(database, only);
    const range = {
      status: status ?? '',
      least: endpoint_id ?? FIRST_PLACE.endpoint_id,
      most: endpoint_id ?? LAST_ID,
    };
    const tooOld = from === null ? '' : new Date(Date.parse(from) - DISORDER_MS).toISOString();
    const isWanted = (row: DeliveryOfOwner) => row.occurred_at >= (from ?? '') && row.occurred_at < (before ?? '~');
    const statement = status === null ? statements.ofAny : statements.ofOne;
    const readFrom = (begin: DeliveryPlace): Promise<Found<Row>> =>
      reach.read(begin.owner, async (owners) => {
        const last = (await endpoints(primary, { ...range, ...begin }, owners)).at(-1);
        const end = last && { last_owner: last.owner, last_id: last.endpoint_id };
        return end ? await statement(primary, { ...range, ...begin, ...end }, owners) : [];
      });
    const data: DeliveryOfOwner[] = [];
    const begin = await beginOf(reach, after);
    if (!begin) return null;
    let place: DeliveryPlace | null = begin;
    for (let count = 0; place !== null && data.length <= limit && count < STATEMENTS_MAX; count += 1) {
      const { rows: found, next: more } = await readFrom(place);
      const groups = [...Map.groupBy(found, (row) => `${row.owner}\n${row.endpoint_id}`).values()];
      let next: DeliveryPlace | null = null;
      for (const group of groups) {
        const rows = group.flatMap((row) => (row.position === null ? [] : [toDelivery(row, row.position)]));
        data.push(...rows.filter(isWanted));
        const last = rows.at(-1);
        // The next statement begins where an endpoint has more, and behind the others.
        if (rows.length === DELIVERIES && last && last.occurred_at >= tooOld) {
          next = last;
          break;
        }
      }
      const lastGroup = groups.at(-1)?.[0];
      if (next === null && groups.length >= ENDPOINTS && lastGroup)
        next = { owner: lastGroup.owner, endpoint_id: lastGroup.endpoint_id, position: 0 };
      const behind = placeAfter(more);
      place = next ?? (behind && { ...behind, position: 0 });
    }
    const shown = data.slice(0, limit);
    const end: DeliveryPlace | null = data.length > limit ? (shown.at(-1) ?? null) : place;
    const next = end && toOwnersPlace({ owner: end.owner, endpoint_id: end.endpoint_id, position: end.position });
    return { data: shown, next, owners: await lookedAt(reach, end?.owner ?? null) };
  };
  return (query) => orUnavailable(read(query));
}

function toDelivery({ occurred_at, delivered_at, next_attempt_at, ...row }: Row, position: string): DeliveryOfOwner {
  return {
    ...row,
    position: Number(position),
    occurred_at: readTimestamp(occurred_at),
    delivered_at: readTimestampOrNull(delivered_at),
    next_attempt_at: readTimestampOrNull(next_attempt_at),
  };
}
