import { setTimeout as sleep } from 'node:timers/promises';
import type { Executor } from './executor.ts';
import { describeForLog } from './postgres-errors.ts';

/** A replica that lists may be read from. */
export interface Replica {
  /** The name for the log, without secrets. */
  readonly name: string;
  readonly executor: Executor;
}

/** Tracks which replicas are current enough to be read from. */
export interface ReplicaLag {
  readonly isCurrent: (replica: Replica) => boolean;
  /** Starts a check when the last one is at least a second old, without waiting for it. */
  readonly refresh: () => void;
}

interface Watched {
  readonly primary: Executor;
  readonly replicas: readonly Replica[];
  readonly isPaused: (replica: Replica) => boolean;
  readonly pause: (replica: Replica, cause: unknown) => void;
  readonly warn: (message: string) => void;
}

/** Maximum lag of a replica behind the primary, in milliseconds. */
const LAG_MAX_MS = 10_000;

/** The interval between checks while lists are read, in milliseconds. */
const CHECK_MS = 1000;

/** The validity of a check, in milliseconds. After a time without lists, the primary serves the first ones. */
const VALID_MS = 3000;

/** The number of consecutive checks after which a lagging replica is reported. */
const BEHIND_CHECKS = 3;

/** Selects the end of the primary's log. After a failover `DATABASE_URL` may point at a standby, which has one too. */
const POSITION = {
  text: `select system_identifier::text as system,
    (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end)::text as position
    from pg_control_system()`,
};

const CHECK = {
  text: `select system_identifier::text as system, pg_is_in_recovery() as is_standby,
    coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false) and exists (select from pg_stat_wal_receiver) as is_current
    from pg_control_system()`,
};

interface Position {
  readonly system: string;
  /** The log position that a replica must have replayed to be less than {@link LAG_MAX_MS} behind. */
  readonly required: string;
}

/**
 * Checks once a second, while lists are read, how far the replicas lag. A replica is current while it has replayed the
 * log that the primary had written ten seconds ago, and receives more. Log positions are compared by this process's own
 * clock: transaction time stamps stand still while the primary is idle, and clocks differ.
 *
 * While the primary does not respond, nothing more is written, and current replicas stay current.
 */
export function replicaLag({ primary, replicas, isPaused, pause, warn }: Watched): ReplicaLag {
  const currentAt = new Map<Replica, number>();
  const lagging = new Map<Replica, number>();
  const underCheck = new Set<Replica>();
  const position = positions(primary);
  let checkedAt = -Infinity;
  let isPrimaryLost = false;

  const isCurrent = (replica: Replica) => performance.now() - (currentAt.get(replica) ?? -Infinity) < VALID_MS;

  const check = async (replica: Replica, { system, required }: Position): Promise<void> => {
    const [row] = await replica.executor.execute<{ system: string; is_standby: boolean; is_current: boolean }>(CHECK, [
      required,
    ]);
    if (!row?.is_standby || row.system !== system) throw new Error('it is not a standby of this primary');
    if (row.is_current) {
      currentAt.set(replica, performance.now());
      lagging.delete(replica);
      return;
    }
    const checks = (lagging.get(replica) ?? 0) + 1;
    lagging.set(replica, checks);
    if (checks !== BEHIND_CHECKS) return;
    warn(`${replica.name} is not used until it has caught up: it is more than ${LAG_MAX_MS / 1000} s behind`);
  };

  const checkAll = async (): Promise<void> => {
    const current = replicas.filter(isCurrent);
    let found: Position;
    try {
      found = await position();
      isPrimaryLost = false;
    } catch (cause) {
      for (const replica of current) currentAt.set(replica, performance.now());
      if (!isPrimaryLost) warn(`the lag of the replicas is unknown: ${describeForLog(cause)}`);
      isPrimaryLost = true;
      return;
    }
    for (const replica of replicas) {
      if (isPaused(replica) || underCheck.has(replica)) continue;
      underCheck.add(replica);
      void check(replica, found)
        .catch((cause: unknown) => pause(replica, cause))
        .finally(() => underCheck.delete(replica));
    }
  };

  return {
    isCurrent,
    refresh: () => {
      const now = performance.now();
      if (now - checkedAt < CHECK_MS) return;
      checkedAt = now;
      void checkAll();
    },
  };
}

/** Samples the end of the primary's log; rejects when that takes longer than a second. */
function positions(primary: Executor): () => Promise<Position> {
  let samples: readonly { readonly at: number; readonly position: string }[] = [];
  let pending: Promise<Position> | undefined;

  const sample = async (): Promise<Position> => {
    const at = performance.now();
    const [row] = await primary.execute<{ system: string; position: string }>(POSITION, []);
    if (!row) throw new Error('the primary did not return its log position');
    samples = [...samples.filter((earlier) => at - earlier.at < LAG_MAX_MS), { at, position: row.position }];
    return { system: row.system, required: samples[0]?.position ?? row.position };
  };

  return async () => {
    // A pending sample is not repeated.
    if (pending) throw new Error('the primary does not respond');
    pending = sample().finally(() => (pending = undefined));
    const late = sleep(CHECK_MS, undefined, { ref: false }).then(() => {
      throw new Error('the primary does not respond');
    });
    return await Promise.race([pending, late]);
  };
}
