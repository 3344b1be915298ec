import type { Owner, Timestamp } from '@orders/domain';
import type { OrdersDatabase } from '../database/database.ts';
import { sql } from '../sql/sql.ts';
import { type Parameter, prepare } from '../sql/statement.ts';
import { inSchema } from '../tables/schema.ts';
import type { Acted, JobStep, JobTransaction } from './job-step.ts';

/** Deliveries that a step looks at. */
const SCANNED = 5000;
/** Deliveries that are requested in one transaction: few enough that it holds their rows for milliseconds. */
const BATCH = 500;

const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** What was looked at: the endpoints up to `passed`, and the next one up to a position. */
interface Place {
  readonly passed: string;
  readonly endpoint_id: string;
  readonly position: number;
}

interface Endpoint {
  readonly owner_id: Owner;
  readonly passed: string;
  readonly from: string;
  readonly to: string;
}

interface Scanned extends Pick<Place, 'endpoint_id' | 'position'> {
  readonly owner_id: Owner;
  readonly status: string;
  /** The time at which the job was created. */
  readonly created_at: Timestamp;
  /** The range of the time of the event, or of its acceptance. */
  readonly since: string;
  readonly until: string;
}

interface Found {
  readonly position: string;
  /** Whether it, and all behind it, have occurred after the range. */
  readonly is_late: boolean | null;
  readonly is_wanted: boolean;
}

/**
 * As a use case requests one again: outside the order of its aggregate, with new attempts, due at once. A comparison of rows
 * lets no other index than that of the status find them, such as one that reads all deliveries of the owner.
 */
const REDELIVER = `update our.webhook_deliveries as d
  set status = 'pending', attempts = 0, fresh = false, redelivery = true, first_attempt_at = null, due_at = $7::timestamptz
  where d.owner_id = $1 and (d.endpoint_id, d.status, d.position) > ($2::uuid, $3, $4::bigint)
    and (d.endpoint_id, d.status, d.position) <= ($2::uuid, $3, $5::bigint)
    and d.position = any($6::bigint[]) returning d.position`;

/** In a statement of its own: Citus calculates no times in an update. */
const NOW = `select date_trunc('milliseconds', clock_timestamp())::text as now`;

/**
 * Returns the step of a job that sends deliveries again: the next of an endpoint of the owner. Each batch that it requests is
 * stored in one transaction with its place.
 */
export function redeliverStep({ orm, primary, writeListeners }: OrdersDatabase): JobStep {
  const endpointAfter = prepare<Endpoint, { readonly id: string }>(orm)`
      select e.id from our.webhook_endpoints as e
      where e.owner_id = ${'owner_id'} and e.id > ${'passed'}::uuid and e.id >= ${'from'}::uuid and e.id <= ${'to'}::uuid
      order by e.id limit 1`;
  const isOfEndpoint = (p: Parameter<Scanned>) => sql`d.owner_id = ${p('owner_id')}
    and d.endpoint_id = ${p('endpoint_id')}::uuid and d.status = ${p('status')} and d.position > ${p('position')}::bigint`;
  const isLate = (p: Parameter<Scanned>) => sql`c.occurred_at >= ${p('until')}::timestamptz + interval '1 hour'`;
  const scans = {
    failed: prepare<Scanned, Found>(orm)`
      select d.position, ${isLate} as is_late, (c.occurred_at < ${'created_at'}::timestamptz
        and c.occurred_at >= ${'since'}::timestamptz and c.occurred_at < ${'until'}::timestamptz) as is_wanted
      from our.webhook_deliveries as d
      join our.changes as c on c.owner_id = ${'owner_id'} and c.position = d.position
      where ${isOfEndpoint} order by d.position limit ${sql.lit(SCANNED)}`,
    // What was accepted before the job has occurred before it. Only of the last one is the event read.
    delivered: prepare<Scanned, Found>(orm)`
      select d.position, case when d.place = ${sql.lit(SCANNED)} then (
          select ${isLate} from our.changes as c where c.owner_id = ${'owner_id'} and c.position = d.position
        ) else false end as is_late, (d.delivered_at < ${'created_at'}::timestamptz
        and d.delivered_at >= ${'since'}::timestamptz and d.delivered_at < ${'until'}::timestamptz) as is_wanted
      from (
        select d.position, d.delivered_at, row_number() over (order by d.position) as place
        from our.webhook_deliveries as d where ${isOfEndpoint} order by d.position limit ${sql.lit(SCANNED)}
      ) as d order by d.position`,
  };
  const [redeliver, now] = [inSchema(orm, REDELIVER), inSchema(orm, NOW)];

  return async (job, owner, at, limit) => {
    if (job.kind !== 'redeliver') throw new TypeError('the job redelivers nothing');
    const { filter, created_at } = job;
    const { endpoint_id: only, status, from = '-infinity', before = 'infinity' } = filter;
    const place = isPlace(at) ? at : { passed: FIRST_ID, endpoint_id: '', position: 0 };
    const range = { owner_id: owner, passed: place.passed, from: only ?? FIRST_ID, to: only ?? LAST_ID };
    const [endpoint] = await endpointAfter(primary, range);
    if (!endpoint) return { matched: 0, acts: [], next: null };
    const { id: endpoint_id } = endpoint;
    const position = endpoint_id === place.endpoint_id ? place.position : 0;
    const values = { owner_id: owner, endpoint_id, status, position, created_at, since: from, until: before };
    const found = await scans[status](primary, values);
    const wanted = found.filter(({ is_wanted }) => is_wanted).map((row) => Number(row.position));
    const taken = wanted.slice(0, limit);
    const last = taken.length < wanted.length ? taken.at(-1) : Number(found.at(-1)?.position ?? position);
    // An event gets its position within the hour: those behind one that is so much later are later, too.
    const isEnd = found.length < SCANNED || found.at(-1)?.is_late === true;
    const isPassed = isEnd && taken.length === wanted.length;
    const next = isPassed
      ? { passed: endpoint_id, endpoint_id: '', position: 0 }
      : { passed: place.passed, endpoint_id, position: last };
    const request = async ({ client }: JobTransaction, batch: readonly number[]): Promise<Acted> => {
      const [time] = (await client.query<{ now: string }>(now)).rows;
      const values = [owner, endpoint_id, status, (batch[0] ?? 0) - 1, batch.at(-1), batch, time?.now];
      const { rows } = await client.query(redeliver, values);
      return { taken: batch.length, failed: batch.length - rows.length };
    };
    const acted = () => {
      for (const listener of writeListeners) listener.written(owner, 'webhook_endpoint');
    };
    const acts = Array.from({ length: Math.ceil(taken.length / BATCH) }, (_, index) => {
      const batch = taken.slice(index * BATCH, (index + 1) * BATCH);
      const behind = { passed: place.passed, endpoint_id, position: batch.at(-1) };
      return { act: (transaction: JobTransaction) => request(transaction, batch), acted, next: behind };
    });
    return { matched: wanted.length, acts, next };
  };
}

function isPlace(at: unknown): at is Place {
  return typeof at === 'object' && at !== null && 'passed' in at;
}
