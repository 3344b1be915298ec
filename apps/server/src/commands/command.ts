import type { Store } from '../store.ts';

/** What an administrator can do on the command line. */
export interface Command {
  /** The words that call it, and what follows them. */
  readonly usage: string;
  /** Works on a database whose schema is up to date. */
  readonly run: (store: Store, args: readonly string[]) => Promise<void>;
}
