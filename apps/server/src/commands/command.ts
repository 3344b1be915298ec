import type { Store } from '../store.ts';

/** What has to be there before a command runs: a database, with the schema of this release or whatever schema. */
export type Need = 'schema' | 'database' | 'nothing';

/** What an administrator can do on the command line. */
export interface Command {
  /** The words that call it, and what follows them. */
  readonly usage: string;
  /** What it does, in a few words. */
  readonly about: string;
  /** Arguments to try, beginning with the words that call it. */
  readonly examples: readonly [string, ...string[]];
  /** What has to be there before it runs with these arguments. Default: the schema. */
  readonly needs?: (args: readonly string[]) => Need;
  /** Validates the arguments, before a database is opened in vain, and returns the work. */
  readonly prepare: (args: readonly string[]) => (store: Store, signal: AbortSignal) => Promise<void>;
}

/** Returns the words that a command is called by: those of its usage before the first argument. */
export function wordsOf({ usage }: Command): readonly string[] {
  const words = usage.split(' ');
  const end = words.findIndex((word) => !/^[a-z]+$/.test(word));
  return end < 0 ? words : words.slice(0, end);
}
