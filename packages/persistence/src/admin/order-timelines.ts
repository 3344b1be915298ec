import {
  type AnyOrder,
  type OrderDefinition,
  type OrderNotFound,
  type OrderVersion,
  type Owner,
  PAGE_BYTES_MAX,
  PAGE_ELEMENTS_MAX,
  PAGE_LIMIT_MAX,
  type Unavailable,
} from '@orders/domain';
import {
  DELIVERIES_OF_EVENT_MAX,
  type DeliveryOfVersion,
  mergeEntries,
  type OrderTimeline,
  type OrderTimelines,
  SUMMARIZED_VERSIONS,
  summarizeOrder,
  type TimelineChange,
  timelineChange,
  timelinePosition,
  type TimelineDelivery,
  type TimelineQuery,
  type TimelineVersion,
} from '@orders/domain/operators';
import { err, ok, Result } from 'neverthrow';
import type { OrdersDatabase } from '../database/database.ts';
import { commentStatements, toComment } from '../orders/order-comments.ts';
import { shapeOf } from '../orders/order-shape.ts';
import { restoreOrderOf } from '../orders/order-snapshot.ts';
import { selectParts } from '../orders/order-statements.ts';
import { type OrderVersionRow, VERSION_COLUMNS } from '../orders/order-version-statements.ts';
import { toVersion } from '../orders/order-versions.ts';
import { toResultAsync } from '../postgres/postgres-errors.ts';
import { SNAPSHOT_ELEMENTS, snapshotBytes } from '../sql/snapshot-size.ts';
import { sql } from '../sql/sql.ts';
import { type Parameter, prepare } from '../sql/statement.ts';
import type { Orm } from '../tables/orm.ts';
import { readTimestampOrNull } from '../tables/timestamp-type.ts';
import type { Target } from '../writes/write-functions.ts';
import { actorNames } from './actor-names.ts';

interface VersionRow extends OrderVersionRow {
  readonly event_id: string | null;
  /** Whether the event has left the feed, and its deliveries with it. */
  readonly has_left: boolean;
  /** Why an operator made it; null if none did, and once it was erased. */
  readonly operator_reason: string | null;
}

type DeliveryRow = TimelineDelivery & { readonly event_id: string };
type FaultRow = DeliveryOfVersion & DeliveryRow;

/** Before the ids of all comments. */
const BEFORE_COMMENTS = '00000000-0000-0000-0000-000000000000';

const isOrder = (p: Parameter<Target>) =>
  sql`c.owner_id = ${p('owner_id')} and c.aggregate = 'order' and c.aggregate_id = ${p('id')}`;

/** Returns the statements on the timeline of an order. Each subquery filters by owner, and reads a bounded number of rows. */
function timelineStatements(orm: Orm, definition: OrderDefinition) {
  const columns = sql`${VERSION_COLUMNS}, c.event_id, c.position`;
  const parts = (p: Parameter<Target>) => selectParts(p('owner_id'), sql`${p('id')}::uuid`);
  const purged = (p: Parameter<Target>) =>
    sql`coalesce((select f.purged from our.feeds as f where f.owner_id = ${p('owner_id')}), 0)`;
  const deliveries = (p: Parameter<Pick<Target, 'owner_id'>>) => sql`cross join lateral (
      select d.* from our.webhook_deliveries as d
      where d.owner_id = ${p('owner_id')} and d.event_id >= c.event_id and d.event_id <= c.event_id
      order by d.event_id, d.endpoint_id limit ${sql.lit(DELIVERIES_OF_EVENT_MAX)}
    ) as d
    left join our.webhook_endpoints as e on e.owner_id = ${p('owner_id')} and e.id = d.endpoint_id`;
  const DELIVERY = sql`c.event_id, d.endpoint_id, e.url as endpoint_url, d.status, d.attempts,
    d.last_status, d.last_error, d.last_duration_ms, d.due_at as next_attempt_at`;
  return {
    /** Selects the version `after`, which is no entry but what the next one is compared with, and a page behind it. */
    page: prepare<Target & { readonly after: number; readonly limit: number }, VersionRow>(orm)`
        select ${VERSION_COLUMNS}, c.event_id, coalesce(c.position <= ${purged}, false) as has_left, c.more,
          case when c.place = 1 then ${parts} end as parts, (
            select a.reason from our.owner_audit as a
            where a.owner_id = ${'owner_id'} and a.subject = ${'id'}::uuid::text and a.version = c.version
              and a.reason is not null limit 1) as operator_reason
        from (
          select c.*, row_number() over page as place, lead(true, 1, false) over page as more,
            count(*) filter (where c.version > ${'after'}::bigint) over page as entry,
            sum(${snapshotBytes(shapeOf(definition).hasCustom)}) over page as bytes,
            sum(${SNAPSHOT_ELEMENTS}) over page as elements
          from (
            select ${columns} from our.changes as c
            where ${isOrder} and c.version >= ${'after'}::bigint
            order by c.version limit ${sql.lit(PAGE_LIMIT_MAX + 2)}
          ) as c
          window page as (order by c.version rows unbounded preceding)
        ) as c
        where c.entry <= ${'limit'}::int and (c.entry <= 1
          or (c.bytes <= ${sql.lit(PAGE_BYTES_MAX)} and c.elements <= ${sql.lit(PAGE_ELEMENTS_MAX)}))
        order by c.place`,

    /** Selects the newest version and the one before it, which has the order that the newest may have deleted. */
    newest: prepare<Target, VersionRow>(orm)`
        select ${VERSION_COLUMNS}, c.event_id, false as has_left, null as operator_reason, ${parts} as parts
        from our.changes as c where ${isOrder} order by c.version desc limit 2`,

    deliveries: prepare<Pick<Target, 'owner_id'> & { readonly events: readonly string[] }, DeliveryRow>(orm)`
        select ${DELIVERY} from unnest(${'events'}::uuid[]) as c (event_id) ${deliveries}`,

    /** Selects the deliveries of the newest versions that were not accepted. */
    faults: prepare<Target, FaultRow>(orm)`
        select ${DELIVERY}, c.version, d.type
        from (
          select c.version, c.event_id from our.changes as c
          where ${isOrder} order by c.version desc limit ${sql.lit(SUMMARIZED_VERSIONS)}
        ) as c ${deliveries}
        where d.status <> 'delivered'
        order by c.version`,
  };
}

/** Returns the timelines of orders in this database. A page is four statements, and the first one up to six. */
export function postgresTimelines(database: OrdersDatabase): OrderTimelines {
  const { orm, primary, definition } = database;
  const statements = timelineStatements(orm, definition);
  const restore = restoreOrderOf(definition);
  const namesOf = actorNames(database);
  const { page: commentsOf } = commentStatements(orm);

  /** Returns the deliveries of events by their ids. */
  const deliveriesOf = async ({ owner_id }: Target, rows: readonly VersionRow[]) => {
    const events = rows.flatMap(({ event_id, has_left }) => (event_id === null || has_left ? [] : [event_id]));
    const found = events.length === 0 ? [] : await statements.deliveries(primary, { owner_id, events });
    return Map.groupBy(found, ({ event_id }) => event_id);
  };

  const summarize = async (target: Target, rows: readonly VersionRow[], first: readonly TimelineChange[]) => {
    const newest = rows.at(-1)?.more === true ? await statements.newest(primary, target) : rows.slice(-2).toReversed();
    const faults = await statements.faults(primary, target);
    const parts = (rows.at(-1)?.more === true ? newest : rows)[0]?.parts ?? null;
    const versions: readonly Result<OrderVersion<OrderDefinition>, Unavailable>[] = newest.map((row) =>
      toVersion(row, parts, restore),
    );
    return Result.combine(versions).map(([last, before]) => {
      if (!last) throw new Error('an order with versions has no newest one');
      const order: AnyOrder | null = last.type === 'order.deleted' ? (before?.order ?? null) : last.order;
      return summarizeOrder(definition, {
        id: target.id,
        newest: last,
        order,
        first,
        deliveries: faults.map(({ version, type, ...row }) => ({ version, type, ...toDelivery(row) })),
      });
    });
  };

  const read = async (
    target: Target,
    { limit, afterVersion: after, afterComment }: TimelineQuery,
  ): Promise<Result<OrderTimeline, OrderNotFound | Unavailable>> => {
    const { owner_id, id } = target;
    const rows = await statements.page(primary, { ...target, limit, after });
    const written = { owner_id, order_id: id, after: afterComment ?? BEFORE_COMMENTS, limit: limit + 1 };
    const comments = (await commentsOf(primary, written)).map(toComment);
    const parts = rows[0]?.parts ?? null;
    const deliveries = await deliveriesOf(target, rows);
    const names = await namesOf(owner_id, [...rows, ...comments.map(({ author: actor }) => ({ actor }))]);
    const nameOf = (actor: string | null) => (actor !== null && names.get(actor)) || null;
    const versions = Result.combine(rows.map((row) => toVersion(row, parts, restore)));
    if (versions.isErr()) return err(versions.error);
    const known = versions.value.map((version, index): TimelineVersion => {
      const { event_id = null, has_left: hasLeft = false, operator_reason = null } = rows[index] ?? {};
      const sent = (event_id !== null && deliveries.get(event_id)) || [];
      return {
        ...version,
        actor_name: nameOf(version.actor),
        operator_reason,
        deliveries: hasLeft ? null : sent.map(toDelivery),
      };
    });
    const entries = known.flatMap((version, index) =>
      version.version > after ? [timelineChange(known[index - 1] ?? null, version)] : [],
    );
    const merged = mergeEntries(
      { entries, more: rows.at(-1)?.more === true },
      {
        entries: comments.slice(0, limit).map(({ created_at: at, author: actor, ...comment }) => {
          return { kind: 'comment', at, actor, actor_name: nameOf(actor), ...comment };
        }),
        more: comments.length > limit,
      },
      limit,
    );
    const { data } = merged;
    // The end of an order: it is known, or the position is behind it.
    const [newest] = rows.length > 0 ? rows : await statements.newest(primary, target);
    if (!newest) return err({ type: 'order_not_found', id });
    const version = entries[merged.changes - 1]?.version ?? after;
    const comment = comments[merged.comments - 1]?.id ?? afterComment;
    const next = merged.more ? timelinePosition(id, version, comment) : null;
    if (after > 0 || afterComment !== null) return ok({ summary: null, data, next });
    return (await summarize(target, rows, entries)).map((summary) => ({ summary, data, next }));
  };

  return { read: (owner: Owner, id, query) => toResultAsync(read({ owner_id: owner, id }, query)) };
}

/** Returns a delivery as a timeline has it. */
function toDelivery(row: DeliveryRow): TimelineDelivery {
  const { event_id: _, next_attempt_at, ...delivery } = row;
  return { ...delivery, next_attempt_at: readTimestampOrNull(next_attempt_at) };
}
