import type { Owner, Timestamp } from '@orders/domain';
import { CLAIM_MS } from '@orders/domain/events';
import {
  type JobProgress,
  type JobStatus,
  type JobWork,
  OPEN_JOBS_MAX,
  type OperatorJob,
  type OperatorJobs,
  TOO_MANY_JOBS,
} from '@orders/domain/operators';
import { uuidv7Ids } from '@orders/domain/runtime';
import { err, ok } from 'neverthrow';
import type { OrdersDatabase } from '../database/database.ts';
import type { Executor } from '../postgres/executor.ts';
import { orUnavailable } from '../postgres/postgres-errors.ts';
import { sql } from '../sql/sql.ts';
import { jsonText, prepare } from '../sql/statement.ts';
import type { Orm } from '../tables/orm.ts';
import { inSchema } from '../tables/schema.ts';
import { readTimestamp, readTimestampOrNull } from '../tables/timestamp-type.ts';
import type { TransactionClient } from '../transaction/transaction.ts';
import { type Auditing, auditStatement } from './audit.ts';

/** Where a job goes on. */
export interface JobPlace {
  /** It has passed the owners up to this one. */
  readonly after: Owner;
  /** The place within the next owner; `null` at its beginning. */
  readonly within: { readonly owner: Owner; readonly at: unknown } | null;
}

/** The progress of a job as it is stored. */
export type StoredProgress = JobProgress & JobPlace;

export const JOB_BEGIN: JobPlace & Omit<JobProgress, 'matched'> = {
  owners: 0,
  taken: 0,
  failed: 0,
  errors: [],
  left_out: 0,
  left_out_owners: [],
  node_down: false,
  after: '',
  within: null,
};

/** What a job begins again with after its count. */
const { taken: _, failed: __, errors: ___, ...RESTARTED } = JOB_BEGIN;

/** A job that this process has the lease of. */
export type ClaimedJob = JobWork & {
  readonly id: string;
  readonly status: JobStatus;
  readonly dry_run: boolean;
  readonly actor: string;
  readonly reason: string | null;
  readonly created_at: Timestamp;
  readonly fence: string;
  readonly progress: StoredProgress;
};

type Row = Pick<OperatorJob, 'id' | 'status' | 'dry_run' | 'actor' | 'reason'> &
  JobWork & {
    readonly created_at: string;
    readonly ended_at: string | null;
    readonly progress: StoredProgress;
  };

const COLUMNS = sql`j.id, j.kind, j.filter, j.status, j.dry_run, j.actor, j.reason, j.created_at, j.ended_at, j.progress`;

const IS_OPEN = `j.status in ('counting', 'running')`;

const LEASE_END = `now() + ${CLAIM_MS} * interval '1 millisecond'`;

/** Stores the progress of a job if its lease is still the caller's; returns no row otherwise. */
const SAVE = `update our.operator_jobs as j set progress = $3::json, status = $4, ended_at = $5::timestamptz,
    held_until = ${LEASE_END}
  where j.id = $1::uuid and j.fence = $2::bigint and ${IS_OPEN} returning j.id`;

/** After every UUID. */
const NEWEST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

const IDS = uuidv7Ids();

/** Returns the jobs of operators of this database. */
export function postgresOperatorJobs(database: OrdersDatabase): OperatorJobs {
  const { orm, primary } = database;
  const audit = auditStatement(orm);
  type New = Omit<Row, 'filter' | 'progress'> & { readonly filter: string; readonly progress: string };
  const statements = {
    // Those that are created at the same time do not see each other.
    insert: prepare<New, { readonly id: string }>(orm)`
      insert into our.operator_jobs (id, kind, filter, status, dry_run, actor, reason, created_at, ended_at, progress,
        held_until, fence)
      select ${'id'}::uuid, ${'kind'}, ${'filter'}::json, ${'status'}, ${'dry_run'}::boolean, ${'actor'}, ${'reason'},
        ${'created_at'}::timestamptz, ${'ended_at'}::timestamptz, ${'progress'}::json, '-infinity', 0
      where (select count(*) from our.operator_jobs as j where ${sql.raw(IS_OPEN)}) < ${sql.lit(OPEN_JOBS_MAX)}
      returning id`,
    list: prepare<{ before: string; limit: number }, Row>(orm)`
      select ${COLUMNS} from our.operator_jobs as j where j.id < ${'before'}::uuid
      order by j.id desc limit ${'limit'}::int`,
    get: prepare<{ id: string }, Row>(orm)`select ${COLUMNS} from our.operator_jobs as j where j.id = ${'id'}::uuid`,
    start: prepare<Auditing & { id: string }, Row>(orm)`
      update our.operator_jobs as j set status = 'running', dry_run = false, held_until = '-infinity',
        actor = ${'actor'}, reason = ${'reason'},
        progress = (j.progress::jsonb || ${sql.lit(jsonText(RESTARTED))}::jsonb)::json
      where j.id = ${'id'}::uuid and j.status = 'counted' returning ${COLUMNS}`,
    cancel: prepare<{ id: string; at: Timestamp }, Row>(orm)`
      update our.operator_jobs as j set status = 'cancelled', ended_at = ${'at'}::timestamptz
      where j.id = ${'id'}::uuid and j.status in ('counting', 'counted', 'running') returning ${COLUMNS}`,
  };
  const changed = (
    id: string,
    action: string,
    by: Auditing,
    change: (executor: Executor) => Promise<readonly Row[]>,
  ) => {
    const work = primary.transaction(async (executor) => {
      const [row] = await change(executor);
      if (row) await audit(executor, { ...by, owner: row.filter.owner ?? null, action, subject: id });
      return row ?? (await statements.get(executor, { id }))[0];
    });
    return orUnavailable(work).map((row) => (row ? toJob(row) : null));
  };
  return {
    create: ({ kind, filter, dry_run }, at, by) => {
      const progress: StoredProgress = { ...JOB_BEGIN, matched: 0 };
      const stored = {
        id: IDS.next(),
        kind,
        status: 'counting',
        dry_run,
        ...by,
        created_at: at,
        ended_at: null,
      } as const;
      const work = primary.transaction(async (executor) => {
        const row = { ...stored, filter: jsonText(filter), progress: jsonText(progress) };
        const [inserted] = await statements.insert(executor, row);
        if (inserted)
          await audit(executor, { ...by, owner: filter.owner ?? null, action: 'create_job', subject: stored.id });
        return inserted !== undefined;
      });
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the kind and the filter of one job
      const job = toJob({ ...stored, filter, progress } as Row);
      return orUnavailable(work).andThen((isStored) => (isStored ? ok(job) : err(TOO_MANY_JOBS)));
    },
    list: ({ before, limit }) =>
      orUnavailable(statements.list(primary, { before: before ?? NEWEST, limit })).map((rows) => rows.map(toJob)),
    get: (id) => orUnavailable(statements.get(primary, { id })).map(([row]) => (row ? toJob(row) : null)),
    start: (id, by) => changed(id, 'start_job', by, (executor) => statements.start(executor, { id, ...by })),
    cancel: (id, at, by) => changed(id, 'cancel_job', by, (executor) => statements.cancel(executor, { id, at })),
  };
}

/**
 * Returns the statement that deletes jobs that have ended until a time, and those of before that were never started.
 *
 * @internal
 */
export function purgeOperatorJobs(orm: Orm) {
  return prepare<{ until: string }, object>(orm)`
      delete from our.operator_jobs as j
      where not (${sql.raw(IS_OPEN)}) and coalesce(j.ended_at, j.created_at) <= ${'until'}::timestamptz`;
}

function toJob({ progress, created_at, ended_at, ...row }: Row): OperatorJob {
  const { after: _, within: __, ...done } = progress;
  return { ...row, ...done, created_at: readTimestamp(created_at), ended_at: readTimestampOrNull(ended_at) };
}

/** Error: another server has the lease of the job, or an operator has cancelled it. Nothing was stored. */
export class LeaseLost extends Error {}

/**
 * Returns the leases of jobs. Who has one may store what the job has done, until the lease is another's.
 *
 * @internal
 */
export function jobLeases({ orm, primary }: Pick<OrdersDatabase, 'orm' | 'primary'>) {
  type ClaimRow = Omit<ClaimedJob, 'created_at'> & { readonly created_at: string };
  /** Of several jobs, the one that has waited for longest. */
  const claim = prepare<{ id: string }, ClaimRow>(orm)`
      update our.operator_jobs as j set fence = j.fence + 1, held_until = ${sql.raw(LEASE_END)}
      where j.id = (
        select j.id from our.operator_jobs as j
        where ${sql.raw(IS_OPEN)} and j.held_until <= now() and (${'id'} = '' or j.id::text = ${'id'})
        order by j.held_until limit 1 for update skip locked)
      returning ${COLUMNS}, j.fence`;
  const release = prepare<{ id: string; fence: string }, object>(orm)`
      update our.operator_jobs as j set held_until = now() where j.id = ${'id'}::uuid and j.fence = ${'fence'}::bigint
        and ${sql.raw(IS_OPEN)} returning j.id`;
  const text = inSchema(orm, SAVE);
  const valuesOf = ({ id, fence }: ClaimedJob, progress: StoredProgress, status: JobStatus) => {
    const endedAt = status === 'done' ? new Date().toISOString() : null;
    return [id, fence, jsonText(progress), status, endedAt];
  };
  return {
    /** Claims a job, or the one with an id; `undefined` if there is none. */
    claim: async (id = ''): Promise<ClaimedJob | undefined> => {
      const [row] = await claim(primary, { id });
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the kind and the filter of one job
      return row && ({ ...row, created_at: readTimestamp(row.created_at) } as ClaimedJob);
    },
    /** Lets the next server have it at once. */
    release: async ({ id, fence }: ClaimedJob) => {
      await release(primary, { id, fence });
    },
    /**
     * @throws {LeaseLost} it is no longer the caller's
     */
    save: async (job: ClaimedJob, progress: StoredProgress, status: JobStatus, client?: TransactionClient) => {
      const values = valuesOf(job, progress, status);
      const rows = client
        ? (await client.query(text, values)).rows
        : await primary.execute<object>({ text, owner: undefined }, values);
      if (rows.length === 0) throw new LeaseLost();
    },
  };
}

/** @internal */
export type JobLeases = ReturnType<typeof jobLeases>;
