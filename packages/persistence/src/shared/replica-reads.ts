import type { Orm } from '../database.ts';
import { classify } from './postgres-errors.ts';
import type { Executor } from './statement.ts';

/** Reads where an answer that is a little old will do. */
export type ReadAnywhere = <T>(read: (executor: Executor) => Promise<T>) => Promise<T>;

/** For how long replicas are left alone after one of them could not be reached, in milliseconds. */
const PAUSE_MS = 5000;

/**
 * Reads from one of the replicas, and from the primary when there is none or it cannot be reached: a replica is there
 * to take load off, and is no reason to answer less or later.
 */
export function replicaReads(orm: Orm): ReadAnywhere {
  const primary = orm.em.getKysely();
  if (orm.config.get('replicas', []).length === 0) return (read) => read(primary);
  let pausedUntil = 0;
  return async (read) => {
    if (performance.now() < pausedUntil) return await read(primary);
    try {
      return await read(orm.em.getKysely({ type: 'read' }));
    } catch (cause) {
      if (classify(cause).type !== 'unavailable') throw cause;
      pausedUntil = performance.now() + PAUSE_MS;
      return await read(primary);
    }
  };
}
