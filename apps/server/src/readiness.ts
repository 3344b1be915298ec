import type { Readiness } from '@orders/http-adapter';
import type { Database } from '@orders/persistence';

/** For how long an answer of the database is good for all who ask, in milliseconds: anybody may ask, as often as they like. */
const ANSWER_MS = 1000;

/** How long the database may take to answer, in milliseconds. */
const PATIENCE_MS = 2000;

/** Whether the server should be sent requests. */
export interface ServerReadiness {
  readonly whyNotReady: Readiness;
  /** From now on it should not, although it goes on to answer those that come. */
  readonly beginToStop: () => void;
}

export function readiness(database: Pick<Database, 'pendingMigrations'>): ServerReadiness {
  let stopping = false;
  let asked: { readonly at: number; readonly answer: Promise<string | null> } | undefined;

  const whyDatabaseIsNotReady = async (): Promise<string | null> => {
    try {
      const pending = await inTime(database.pendingMigrations());
      return pending.length === 0 ? null : 'The schema of the database is older than this server.';
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
  };
}

/** Rejects when `work` takes too long. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('no answer in time')), PATIENCE_MS).unref();
  });
  return await Promise.race([work, late]);
}
