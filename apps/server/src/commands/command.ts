import type { Store } from '../store.ts';

/** What an administrator can do on the command line. */
export interface Command {
  /** The words that call it, and what follows them. */
  readonly usage: string;
  /** Judges the arguments, before a database is opened for nothing; the work is what comes back. */
  readonly prepare: (args: readonly string[]) => (store: Store) => Promise<void>;
}
