import { AsyncLocalStorage } from 'node:async_hooks';
import { INSIDE_TRANSACTION } from '@orders/domain/runtime';
import type { Executor } from './executor.ts';

/** A transaction of a host whose work is running. */
interface OpenTransaction {
  readonly primary: object;
  readonly around: OpenTransaction | undefined;
  isOpen: boolean;
}

const AROUND = new AsyncLocalStorage<OpenTransaction>();

/** Runs the work of a transaction on `primary`. Until it ends, {@link outsideTransactions} rejects what it calls. */
export async function runInTransaction<T>(primary: object, work: () => Promise<T>): Promise<T> {
  const transaction: OpenTransaction = { primary, around: AROUND.getStore(), isOpen: true };
  try {
    return await AROUND.run(transaction, work);
  } finally {
    transaction.isOpen = false;
  }
}

/** The connections of a repository. */
interface Connected {
  readonly primary: Executor & { transaction<T>(work: (transaction: Executor) => Promise<T>): Promise<T> };
  readonly readAnywhere: <T>(read: (executor: Executor) => Promise<T>) => Promise<T>;
}

/**
 * Returns the connections of repositories that are used outside transactions. A use inside one, by mistake, would be stored
 * although it rolls back, and could wait for its locks for ever.
 */
export function outsideTransactions<C extends Connected>(connections: C): C {
  const { primary, readAnywhere } = connections;
  const isInside = (): boolean => {
    for (let open = AROUND.getStore(); open; open = open.around)
      if (open.isOpen && open.primary === primary) return true;
    return false;
  };
  const reject = () => Promise.reject(new TypeError(INSIDE_TRANSACTION));
  // Not async: each statement would wait for one promise more.
  const outside: Connected = {
    readAnywhere: (read) => (isInside() ? reject() : readAnywhere(read)),
    primary: {
      isTransaction: primary.isTransaction,
      execute: (statement, values) => (isInside() ? reject() : primary.execute(statement, values)),
      transaction: (...work) => (isInside() ? reject() : primary.transaction(...work)),
    },
  };
  return { ...connections, ...outside };
}
