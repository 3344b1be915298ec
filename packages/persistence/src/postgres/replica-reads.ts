import type { Executor } from './executor.ts';
import { isStatementFault, describeForLog } from './postgres-errors.ts';
import { type Replica, replicaLag } from './replica-lag.ts';

/** Runs a read that tolerates slightly stale data. */
export type ReadAnywhere = <T>(read: (executor: Executor) => Promise<T>) => Promise<T>;

/** Reads from the replicas, with the primary as fallback. */
export interface ReplicaReads {
  readonly readAnywhere: ReadAnywhere;
  /** Returns the number of reads that the primary has served in place of a replica. */
  readonly replicaFallbacks: () => number;
}

/** The time for which a failed replica is not used, in milliseconds. */
const PAUSE_MS = 5000;

/**
 * Reads from the replicas in turn, and from the primary when none is current or the read fails. Replicas reduce the
 * load of the primary, and must not make reads fail or wait. When the primary fails too, its error is thrown.
 *
 * A failed replica is paused on its own, and `warn` is called once per pause. A failure of the statement or of its
 * owner's share pauses no replica, so that no owner can shift the load of the others.
 */
export function replicaReads(
  primary: Executor,
  replicas: readonly Replica[],
  warn: (message: string) => void,
): ReplicaReads {
  if (replicas.length === 0) return { readAnywhere: (read) => read(primary), replicaFallbacks: () => 0 };
  const pauses = new Map<Replica, number>();
  const isPaused = (replica: Replica) => performance.now() < (pauses.get(replica) ?? -Infinity);
  const pause = (replica: Replica, cause: unknown) => {
    if (isPaused(replica)) return;
    pauses.set(replica, performance.now() + PAUSE_MS);
    warn(`${replica.name} is not used for ${PAUSE_MS / 1000} s: ${describeForLog(cause)}`);
  };
  const lag = replicaLag({ primary, replicas, isPaused, pause, warn });

  let turn = 0;
  const next = (): Replica | undefined => {
    for (const _ of replicas) {
      turn = (turn + 1) % replicas.length;
      const replica = replicas[turn];
      if (replica && !isPaused(replica) && lag.isCurrent(replica)) return replica;
    }
    return undefined;
  };

  let fallbacks = 0;
  return {
    readAnywhere: (read) => {
      const fallBack = () => {
        fallbacks += 1;
        return read(primary);
      };
      const replica = next();
      lag.refresh();
      if (!replica) return fallBack();
      return read(replica.executor).catch((cause: unknown) => {
        if (!isStatementFault(cause)) pause(replica, cause);
        return fallBack();
      });
    },
    replicaFallbacks: () => fallbacks,
  };
}
