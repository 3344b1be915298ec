import type { OrderDefinition } from '@orders/domain';
import type { AuditEntry } from '@orders/persistence';
import type { Option } from 'commander';
import type { Config } from '../config/config.ts';
import type { Store } from '../database/store.ts';

/** What a command requires: nothing, a database, or a database with the schema of this release. */
type Need = 'schema' | 'database' | 'nothing';

/**
 * What the help says about a command, and by which its arguments are parsed. A start imports the modules of all commands.
 * Each imports what it works with late, in its work, so that a start loads only what its command uses.
 */
export interface CommandHelp {
  /** The words that select it, followed by its positional arguments, such as `<file>`, which is required, or `[what]`. */
  readonly usage: string;
  /** A short description. */
  readonly about: string;
  /** Default: none. */
  readonly options?: readonly Option[];
  /** Example arguments, starting with the words that select it. */
  readonly examples: readonly [string, ...string[]];
}

/** The arguments of a command. */
export interface Arguments {
  /** The values of options such as `--owner shop`, by name. */
  readonly values: Readonly<Record<string, string | undefined>>;
  /** The names of options without a value, such as `--json`. */
  readonly flags: ReadonlySet<string>;
  readonly positionals: readonly string[];
}

/** A command that needs no database. */
export interface LocalCommand extends CommandHelp {
  readonly run: (args: Arguments) => Promise<void>;
}

/** What is recorded of a command, besides who runs it, why, and its `--owner`. */
type Recorded = Pick<AuditEntry, 'action' | 'subject'>;

/** A command for administrators on the configured database. */
export interface Command extends CommandHelp {
  /**
   * How it is recorded, if it changes what is stored or reads of persons: by `itself`, in the transaction of what it changes; or
   * before it begins, by what this returns of its arguments, because it changes much, a part at a time.
   */
  readonly records: 'nothing' | 'itself' | ((args: Arguments) => Recorded | null | Promise<Recorded | null>);
  /** The requirement with these arguments. Default: the schema. */
  readonly needs?: (args: Arguments) => Need;
  /** Whether the work ends by itself when its signal is aborted. Default: it is abandoned then. */
  readonly endsBySignal?: boolean;
  /** Validates the arguments before a database is opened, and returns the work to run. */
  readonly prepare: (args: Arguments, definition: OrderDefinition) => Work | Promise<Work>;
}

/** The work of a command on a database. */
type Work = (store: Store, signal: AbortSignal, config: Config) => Promise<void>;
