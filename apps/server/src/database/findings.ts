import type { BlockedProcess, Examination, OpenTransaction, OrdersDatabase } from '@orders/persistence';
import type { Config } from '../config/config.ts';
import { reasonOf } from '../operator-error.ts';

/** What an examination found about one subject. */
export interface Finding {
  /** `warn` needs attention, `fail` action. */
  readonly state: 'ok' | 'warn' | 'fail';
  readonly subject: string;
  readonly text: string;
  /** What to do. Default: nothing. */
  readonly advice?: string | undefined;
}

function ok(subject: string, text: string): Finding {
  return { state: 'ok', subject, text };
}

function warn(subject: string, text: string, advice?: string): Finding {
  return { state: 'warn', subject, text, advice };
}

function fail(subject: string, text: string, advice?: string): Finding {
  return { state: 'fail', subject, text, advice };
}

/** The time for which due deliveries are counted, in milliseconds. */
const COUNTED_MS = 3000;
/** The events of owners that have no position for a while are normal without a reader. */
const UNNUMBERED_AGE_MS = 24 * 60 * 60 * 1000;
/** A worker takes what is due at once, unless it is overloaded. */
const DUE_AGE_MS = 5 * 60 * 1000;
/** A person waits no longer for the erasure, unless no server is running or a row stays locked. */
const ERASING_AGE_MS = 60 * 60 * 1000;
const MIB = 2 ** 20;

/** What deletes the rows of the tables that grow with use. All others keep what exists. */
const PURGED_BY: Readonly<Record<string, string>> = {
  changes: 'EVENT_RETENTION_DAYS, and versions HISTORY_RETENTION_DAYS',
  idempotency: 'IDEMPOTENCY_TTL_HOURS',
  webhook_deliveries: 'EVENT_RETENTION_DAYS',
};

/**
 * Examines the database: schema, rights, clock, locks, connections, backlogs, erasures, sizes.
 *
 * @throws {Error} the database query failed
 */
export async function findingsOf(
  database: OrdersDatabase,
  config: Config,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const { examineDatabase } = await import('@orders/persistence');
  const found = await examineDatabase(database);
  const schema = await schemaFinding(database).catch(unreadable);
  return [
    schema,
    ok('release', `PostgreSQL ${found.release}`),
    rightsFinding(found, config),
    await clockFinding(database),
    connectionFinding(found, config),
    ...lockFindings(found),
    ...tableFindings(found),
    // The tables of another release may lack what the counts read.
    ...(schema.state === 'fail'
      ? []
      : [await copyFinding(database), ...(await backlogFindings(database, signal).catch(uncounted))]),
  ];
}

async function copyFinding(database: OrdersDatabase): Promise<Finding> {
  const { sendingDatabase } = await import('@orders/persistence');
  switch (await sendingDatabase(database, { isReadOnly: true })) {
    case 'copy':
      return warn(
        'copy',
        'no webhooks are sent: the database is a copy, or was made quiet',
        'if it replaces the database that it is a copy of: orders adopt',
      );
    case 'unknown':
      return warn(
        'copy',
        'webhooks are sent from a copy, too: the role cannot recognize one',
        'as a superuser: grant execute on function pg_control_system() to the role',
      );
    case 'original':
      return ok('copy', 'the database is the one that sends webhooks');
  }
}

async function schemaFinding(database: OrdersDatabase): Promise<Finding> {
  const { applied, pending, unknown } = await database.schemaStatus();
  if (applied.length === 0 && unknown.length === 0)
    return fail('schema', `"${database.schema}" has no tables`, 'run: orders migrate');
  if (pending.length > 0) return fail('schema', `lacks ${pending.join(', ')}`, 'run: orders migrate');
  if (unknown.length > 0) return warn('schema', `a later release added ${unknown.join(', ')}`, 'upgrade');
  return ok('schema', `"${database.schema}" is that of this release`);
}

function rightsFinding({ withoutRights, isSuperuser }: Examination, { DATABASE_SCHEMA }: Config): Finding {
  if (withoutRights.length > 0)
    return fail(
      'rights',
      `the role may not read and write ${withoutRights.join(', ')}`,
      `as the owner: grant select, insert, update, delete on all tables in schema ${DATABASE_SCHEMA} to the role`,
    );
  return isSuperuser
    ? warn('rights', 'the role is a superuser', 'use a role that owns the database alone')
    : ok('rights', 'the role may read and write all tables');
}

async function clockFinding(database: OrdersDatabase): Promise<Finding> {
  // Imported late, as everything that a command works with.
  const { DatabaseClock } = await import('./clocks.ts');
  const { differenceMs, fault } = await new DatabaseClock().compare(database);
  return fault === null
    ? ok('clock', `at least ${(differenceMs / 1000).toFixed(1)} s from the database's`)
    : fail('clock', fault);
}

function connectionFinding({ connections }: Examination, { DATABASE_POOL_MAX }: Config): Finding {
  const { used, max, usedByRole, maxOfRole } = connections;
  const left = Math.min(max - used, (maxOfRole ?? Number.POSITIVE_INFINITY) - usedByRole);
  const ofRole = maxOfRole === null ? '' : `, ${usedByRole} of the role's ${maxOfRole}`;
  const text = `${used} of ${max} used${ofRole}; a server takes up to ${DATABASE_POOL_MAX}`;
  const advice = 'lower DATABASE_POOL_MAX, or raise max_connections or the limit of the role';
  return left >= DATABASE_POOL_MAX ? ok('connections', text) : warn('connections', text, advice);
}

function lockFindings({ blocked, longTransactions, prepared, idleSlots, seesOthers }: Examination): readonly Finding[] {
  return [
    ...(blocked.length === 0 ? [ok('locks', 'nothing waits for one')] : blocked.map(blockedFinding)),
    ...longTransactions.map((transaction) => {
      const advice = `it keeps deleted rows on the disk; end it there, or: ${terminate(transaction)}`;
      return warn('transactions', `${nameOf(transaction)} is open`, advice);
    }),
    ...prepared.map(({ gid, seconds }) => {
      const advice = `commit prepared or rollback prepared '${gid}', as its coordinator decided; Citus does it by itself`;
      return fail('transactions', `${gid} has been prepared for ${Math.round(seconds)} s, and holds its locks`, advice);
    }),
    ...idleSlots.map(({ name, bytes }) => {
      const text = `the slot ${name} has no reader, and for it ${Math.round(bytes / MIB)} MiB of the log are kept`;
      return warn('replication', text, `start its replica, or: select pg_drop_replication_slot('${name}')`);
    }),
    ...(seesOthers
      ? []
      : [warn('transactions', 'those of other roles are hidden', 'to see them: grant pg_read_all_stats to the role')]),
  ];
}

function blockedFinding({ pid, seconds, relation, blockers }: BlockedProcess): Finding {
  const waits = `process ${pid} waits ${seconds.toFixed(1)} s for ${relation ?? 'a row'}`;
  // The holder may have ended between the two looks.
  if (blockers.length === 0) return warn('locks', waits);
  const text = `${waits}, which ${blockers.map(nameOf).join(' and ')} holds`;
  const advice = `end it: ${blockers.map(terminate).join('; ')}`;
  return seconds > 1 ? fail('locks', text, advice) : warn('locks', text, advice);
}

function terminate({ pid }: OpenTransaction): string {
  // A prepared transaction has no process.
  return pid === 0 ? 'see the prepared transactions below' : `select pg_terminate_backend(${pid})`;
}

function nameOf({ pid, application, state, seconds }: OpenTransaction): string {
  const details = [application, state ?? '', seconds === null ? '' : `for ${Math.round(seconds)} s`];
  const known = details.filter((detail) => detail !== '').join(', ');
  return `process ${pid}${known === '' ? '' : ` (${known})`}`;
}

function tableFindings({ tables }: Examination): readonly Finding[] {
  return tables
    .filter(({ bytes }) => bytes >= MIB)
    .map(({ name, bytes, rows, deadRows }) => {
      const purged = PURGED_BY[name];
      const text = `${name}: ${Math.round(bytes / MIB)} MiB, ${Math.max(rows, 0)} rows, ${purged === undefined ? 'kept' : `purged after ${purged}`}`;
      const isBloated = deadRows > 10_000 && deadRows > rows / 2;
      const advice = `${deadRows} deleted rows wait for a vacuum: end old transactions, or: vacuum ${name}`;
      return isBloated ? warn('size', text, advice) : ok('size', text);
    });
}

function unreadable(cause: unknown): Finding {
  const advice = 'as the owner: grant usage on the schema and select on its tables to the role';
  return fail('schema', `cannot be read: ${reasonOf(cause)}`, advice);
}

/** The tables may be locked, which the locks say; everything else is known by the catalog. */
function uncounted(cause: unknown): readonly Finding[] {
  return [fail('backlogs', `cannot be counted: ${reasonOf(cause)}`)];
}

async function backlogFindings(database: OrdersDatabase, signal: AbortSignal): Promise<readonly Finding[]> {
  const { countPendingErasures, countUnnumbered, dueDeliveries } = await import('@orders/persistence');
  const nodes = { areDown: false };
  const options = { onNodeDown: () => void (nodes.areDown = true) };
  const { count, oldestAt } = await countUnnumbered(database, options);
  const ageMs = (time: string | null) => (time === null ? 0 : Math.max(Date.now() - Date.parse(time), 0));
  const erasures = await countPendingErasures(database, options);
  const [unnumberedMs, erasingMs] = [ageMs(oldestAt), ageMs(erasures.oldestAt)];
  const limit = AbortSignal.any([signal, AbortSignal.timeout(COUNTED_MS)]);
  const { worker, endpoint } = await dueDeliveries(database, limit, options);
  const seconds = (ms: number) => `${Math.round(ms / 1000)} s`;
  const unnumbered = `${count} events without a position, the oldest for ${seconds(unnumberedMs)}`;
  const due = `${worker.count} deliveries wait for a worker, the oldest for ${seconds(worker.oldestAgeMs)}; ${endpoint.count} for their endpoints`;
  const erasing =
    erasures.oldestAt === null
      ? 'no person waits to be erased'
      : `${erasures.count} persons are not erased yet, the first requested ${seconds(erasingMs)} ago`;
  const eraser = 'start a server, which erases them; its log says why an owner is passed over, such as for a lock';
  const node = fail(
    'nodes',
    'a node of Citus does not respond: its owners are not counted',
    'start it, or its standby',
  );
  return [
    ...(nodes.areDown ? [node] : []),
    unnumberedMs > UNNUMBERED_AGE_MS ? warn('feed', unnumbered) : ok('feed', unnumbered),
    worker.oldestAgeMs > DUE_AGE_MS
      ? fail('webhooks', due, 'start a server with WEBHOOKS=on, or: orders webhooks')
      : ok('webhooks', due),
    erasingMs > ERASING_AGE_MS ? fail('erasures', erasing, eraser) : ok('erasures', erasing),
  ];
}
