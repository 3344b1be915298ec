import type { Connected } from '../database.ts';
import type { Executor } from './connections.ts';
import { classify } from './postgres-errors.ts';

/** Reads where an answer that is a little old will do. */
export type ReadAnywhere = <T>(read: (executor: Executor) => Promise<T>) => Promise<T>;

/** For how long replicas are left alone after one of them could not be reached, in milliseconds. */
const PAUSE_MS = 5000;

/**
 * Reads from the replicas in turn, and from the primary when there is none or it cannot be reached: a replica is there
 * to take load off, and is no reason to answer less or later.
 */
export function replicaReads({ primary, replicas }: Connected): ReadAnywhere {
  let pausedUntil = 0;
  let turn = 0;
  return (read) => {
    turn = (turn + 1) % Math.max(replicas.length, 1);
    const replica = replicas[turn];
    if (!replica || performance.now() < pausedUntil) return read(primary);
    return read(replica).catch((cause: unknown) => {
      if (classify(cause).type !== 'unavailable') throw cause;
      pausedUntil = performance.now() + PAUSE_MS;
      return read(primary);
    });
  };
}
