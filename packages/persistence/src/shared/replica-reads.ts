import type { Executor } from './executor.ts';
import { isOfStatement, loggable } from './postgres-errors.ts';
import { type Replica, replicaCurrency } from './replica-currency.ts';

/** Reads where an answer that is a little old will do. */
export type ReadAnywhere = <T>(read: (executor: Executor) => Promise<T>) => Promise<T>;

/** Reads that the replicas serve, or the primary in their place. */
export interface ReplicaReads {
  readonly readAnywhere: ReadAnywhere;
  /** Returns how many reads the primary has served in place of a replica. */
  readonly replicaFallbacks: () => number;
}

/** For how long a replica is left alone after it failed, in milliseconds. */
const PAUSE_MS = 5000;

/**
 * Reads from the replicas in turn, and from the primary when none is current or the read fails: a replica is there to
 * take load off, and is no reason to answer less or later. A failure that the primary repeats is the primary's.
 *
 * A replica that fails is paused by itself, and `warn` is told once for each pause. A failure of the statement or of its
 * owner's share pauses no replica, so that no owner can move the load of the others.
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
    warn(`${replica.name} is not read from for ${PAUSE_MS / 1000} s: ${loggable(cause)}`);
  };
  const currency = replicaCurrency({ primary, replicas, isPaused, pause, warn });

  let turn = 0;
  const next = (): Replica | undefined => {
    for (const _ of replicas) {
      turn = (turn + 1) % replicas.length;
      const replica = replicas[turn];
      if (replica && !isPaused(replica) && currency.isCurrent(replica)) return replica;
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
      currency.refresh();
      if (!replica) return fallBack();
      return read(replica.executor).catch((cause: unknown) => {
        if (!isOfStatement(cause)) pause(replica, cause);
        return fallBack();
      });
    },
    replicaFallbacks: () => fallbacks,
  };
}
