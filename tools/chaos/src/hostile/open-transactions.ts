import { openDatabase, type Transaction } from '@orders/persistence';
import type { Stage } from '../stage.ts';
import type { Outcome } from './attack.ts';
import type { Way } from './hostile-play.ts';

/** Locks rows in a transaction. */
export type Locks = (transaction: Transaction) => Promise<unknown>;

/** Transactions that stay open, and what must go on beside them. */
export interface OpenTransactions {
  readonly locks: readonly Locks[];
  /** Runs once all transactions hold their locks. */
  readonly beside: () => Promise<Outcome>;
  /** Checks what the transactions must not have prevented, after their end. */
  readonly fault: (outcome: Outcome) => Promise<string | undefined>;
}

/**
 * Transactions that an embedder opens together. They stay open until the attack is stopped, and then in a full run until they
 * reach their maximum age.
 */
export function openTransactions(stage: Stage, databaseUrl: string, { locks, beside, fault }: OpenTransactions): Way {
  const start = () => {
    const stopped = new AbortController();
    const database = openDatabase({ url: databaseUrl });
    stage.atEnd(async () => {
      stopped.abort();
      await database.close();
    });
    let open = 0;
    const begin = (lock: Locks) => {
      const { promise: held, resolve, reject } = Promise.withResolvers<undefined>();
      const work = async (transaction: Transaction) => {
        await lock(transaction);
        open += 1;
        resolve(undefined);
        // PostgreSQL ends a transaction that idles.
        while (stage.full || !stopped.signal.aborted) await transaction.client.query('select pg_sleep(0.5)');
        throw new Error('rolled back');
      };
      const end = (cause: unknown) => {
        open -= 1;
        reject(cause);
      };
      return { held, ended: database.transaction(work).then(end, end) };
    };
    const transactions = locks.map(begin);
    const finished = Promise.all(transactions.map(({ held }) => held)).then(async () => {
      const outcome = await beside();
      return { ...outcome, 'still open': open };
    });
    finished.catch(() => undefined); // The caller that awaits it receives its failure.
    const stop = async () => {
      stopped.abort();
      for (const { ended } of transactions) await ended;
      return await finished;
    };
    return { finished, stop };
  };
  return {
    name: 'open transactions',
    start,
    finishes: true,
    fault: async (outcome) =>
      outcome['still open'] === locks.length ? await fault(outcome) : 'a transaction ended before the attack',
  };
}
