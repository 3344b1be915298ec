import type { Readiness } from '@orders/http-adapter';
import { type Database, openDatabase } from '@orders/persistence';

/** For how long an answer of the database is good for all who ask, in milliseconds: anybody may ask, and often. */
const ANSWER_MS = 1000;

/** How long the database may take to answer, in milliseconds. */
const PATIENCE_MS = 2000;

/** Whether the server should be sent requests. */
export interface ServerReadiness {
  readonly whyNotReady: Readiness;
  /** From now on it should not, although it goes on to answer those that come. */
  readonly beginToStop: () => void;
  readonly close: () => Promise<void>;
}

/**
 * Asks the database at `url` over a connection of its own. By the pool it would have to wait its turn behind requests,
 * and a server that is busy would be called not ready: all of them at the same moment, since they are busy together.
 */
export function readiness(url: string, warn: (message: string) => void): ServerReadiness {
  const patience = { connectTimeoutMs: PATIENCE_MS, statementTimeoutMs: PATIENCE_MS };
  const database = openDatabase({ url, poolMax: 1, ...patience, warn });
  let stopping = false;
  let asked: { readonly at: number; readonly answer: Promise<string | null> } | undefined;

  const whyDatabaseIsNotReady = async (): Promise<string | null> => {
    try {
      return await inTime(whyItCannotBeUsed(database));
    } catch {
      return 'The database does not answer.';
    }
  };
  return {
    whyNotReady: async () => {
      if (stopping) return 'The server is stopping.';
      const at = performance.now();
      if (!asked || at - asked.at > ANSWER_MS) asked = { at, answer: whyDatabaseIsNotReady() };
      return await asked.answer;
    },
    beginToStop: () => {
      stopping = true;
    },
    close: () => database.close(),
  };
}

async function whyItCannotBeUsed(database: Database): Promise<string | null> {
  // A connection that does not respond, or reaches a standby, is given up: the next check resolves the name anew.
  if (!(await database.isWritable())) return 'The database is read-only; it may be a standby.';
  const pending = await database.pendingMigrations();
  return pending.length === 0 ? null : 'The schema of the database is older than this server.';
}

/** Rejects when `work` takes too long. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('no answer in time')), PATIENCE_MS).unref();
  });
  return await Promise.race([work, late]);
}
