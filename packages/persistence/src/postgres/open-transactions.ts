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
  const assertOutside = (): void => {
    for (let open = AROUND.getStore(); open; open = open.around)
      if (open.isOpen && open.primary === primary) throw new TypeError(INSIDE_TRANSACTION);
  };
  const outside: Connected = {
    readAnywhere: async (read) => {
      assertOutside();
      return await readAnywhere(read);
    },
    primary: {
      isTransaction: primary.isTransaction,
      execute: async (statement, values) => {
        assertOutside();
        return await primary.execute(statement, values);
      },
      transaction: async (...work) => {
        assertOutside();
        return await primary.transaction(...work);
      },
    },
  };
  return { ...connections, ...outside };
}
