import type { Owner, Timestamp, Unavailable } from '@orders/domain';
import type { ResultAsync } from 'neverthrow';
import type { OrdersDatabase } from '../database/database.ts';
import type { Executor } from '../postgres/executor.ts';
import { orUnavailable } from '../postgres/postgres-errors.ts';
import { sql } from '../sql/sql.ts';
import { prepare } from '../sql/statement.ts';
import type { Orm } from '../tables/orm.ts';
import { readTimestampOrNull } from '../tables/timestamp-type.ts';
import { type Auditing, auditStatement } from './audit.ts';

/** Requests of an owner per minute, and orders in batches; 0 for no limit, `null` for the limit of the server. */
export interface OwnerRateLimits {
  readonly read: number | null;
  readonly write: number | null;
  readonly batch: number | null;
}

/** What operators have set for an owner. */
export interface OwnerSettings {
  readonly owner: Owner;
  /** Since when its requests are refused; `null` if they are not. */
  readonly suspended_at: Timestamp | null;
  /** `null` if all are those of the server. */
  readonly rate_limits: OwnerRateLimits | null;
}

/** What to change for an owner. What is `undefined` stays as it is. */
export interface OwnerChange {
  readonly suspended?: boolean | undefined;
  /** In place of all earlier ones; `null` ends them. */
  readonly rate_limits?: OwnerRateLimits | null | undefined;
}

/** What operators have set for owners, in PostgreSQL. Every change is recorded with it, or not made. */
export interface OwnerSettingsRepository {
  /** Returns the next owners for whom something is set, in their order, at most 10,000. */
  list(after: Owner | null, limit: number): ResultAsync<readonly OwnerSettings[], Unavailable>;
  /** Returns what is set for an owner, after the change, and whether that has changed anything. */
  change(
    owner: Owner,
    change: OwnerChange,
    at: Timestamp,
    by: Auditing,
  ): ResultAsync<{ readonly settings: OwnerSettings; readonly isChanged: boolean }, Unavailable>;
}

type Row = Omit<OwnerSettings, 'rate_limits'> & OwnerRateLimits;
type Place = { readonly owner: Owner };

/**
 * Returns the statements that read what is set for owners.
 *
 * @internal
 */
export function ownerSettingsStatements(orm: Orm) {
  const columns = sql`owner, suspended_at, rate_limit_read as read, rate_limit_write as write, rate_limit_batch as batch`;
  return {
    list: prepare<{ after: Owner; limit: number }, Row>(orm)`
      select ${columns} from our.owner_settings where owner > ${'after'} order by owner limit ${'limit'}::int`,
    among: prepare<{ owners: readonly Owner[] }, Row>(orm)`
      select ${columns} from our.owner_settings where owner = any(${'owners'}::text[])`,
  };
}

/** Returns what is set for owners of this database. */
export function postgresOwnerSettings(database: OrdersDatabase): OwnerSettingsRepository {
  const { orm, primary } = database;
  const audit = auditStatement(orm);
  const limits = sql`s.rate_limit_read, s.rate_limit_write, s.rate_limit_batch`;
  const statements = {
    ...ownerSettingsStatements(orm),
    suspend: prepare<Place & { at: Timestamp }, Place>(orm)`
      insert into our.owner_settings as s (owner, suspended_at) values (${'owner'}, ${'at'}::timestamptz)
      on conflict (owner) do update set suspended_at = excluded.suspended_at where s.suspended_at is null
      returning owner`,
    resume: prepare<Place, Place>(orm)`
      update our.owner_settings set suspended_at = null where owner = ${'owner'} and suspended_at is not null
      returning owner`,
    limit: prepare<Place & OwnerRateLimits, Place>(orm)`
      insert into our.owner_settings as s (owner, rate_limit_read, rate_limit_write, rate_limit_batch)
      values (${'owner'}, ${'read'}::int, ${'write'}::int, ${'batch'}::int)
      on conflict (owner) do update set rate_limit_read = excluded.rate_limit_read,
        rate_limit_write = excluded.rate_limit_write, rate_limit_batch = excluded.rate_limit_batch
      where (${limits}) is distinct from (excluded.rate_limit_read, excluded.rate_limit_write, excluded.rate_limit_batch)
      returning owner`,
    unlimit: prepare<Place, Place>(orm)`
      update our.owner_settings as s set rate_limit_read = null, rate_limit_write = null, rate_limit_batch = null
      where owner = ${'owner'} and coalesce(${limits}) is not null returning owner`,
    deleteEmpty: prepare<Place, object>(orm)`
      delete from our.owner_settings as s
      where owner = ${'owner'} and suspended_at is null and coalesce(${limits}) is null`,
  };
  const changes = async (executor: Executor, owner: Owner, { suspended, rate_limits }: OwnerChange, at: Timestamp) => {
    const actions: string[] = [];
    const done = (action: string, rows: readonly Place[]) => rows.length > 0 && actions.push(action);
    if (suspended === true) done('suspend_owner', await statements.suspend(executor, { owner, at }));
    if (suspended === false) done('resume_owner', await statements.resume(executor, { owner }));
    if (hasLimits(rate_limits)) done('limit_owner', await statements.limit(executor, { owner, ...rate_limits }));
    else if (rate_limits !== undefined) done('unlimit_owner', await statements.unlimit(executor, { owner }));
    await statements.deleteEmpty(executor, { owner });
    return actions;
  };
  return {
    list: (after, limit) =>
      orUnavailable(statements.list(primary, { after: after ?? '', limit })).map((rows) => rows.map(toSettings)),
    change: (owner, change, at, by) =>
      orUnavailable(
        primary.transaction(async (executor) => {
          const actions = await changes(executor, owner, change, at);
          for (const action of actions) await audit(executor, { ...by, owner, action, subject: owner });
          const [row] = await statements.among(executor, { owners: [owner] });
          const settings = row ? toSettings(row) : { owner, suspended_at: null, rate_limits: null };
          return { settings, isChanged: actions.length > 0 };
        }),
      ),
  };
}

function hasLimits(limits: OwnerRateLimits | null | undefined): limits is OwnerRateLimits {
  return Object.values(limits ?? {}).some((each) => each !== null);
}

/**
 * Returns what is set for an owner.
 *
 * @internal
 */
export function toSettings({ owner, suspended_at, ...limits }: Row): OwnerSettings {
  const rate_limits = hasLimits(limits) ? limits : null;
  return { owner, suspended_at: readTimestampOrNull(suspended_at), rate_limits };
}
