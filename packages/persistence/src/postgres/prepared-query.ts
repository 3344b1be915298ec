import type { Connection, ClientBase, Submittable } from 'pg';
import { READ_TIMEOUT } from './unreachable-database.ts';

declare module 'pg' {
  interface Connection {
    /** The text of the statements that were prepared on this connection, by name. */
    readonly parsedStatements: Readonly<Record<string, string | undefined>>;
  }
}

/** A statement that PostgreSQL keeps parsed and planned as long as its connection lasts. */
export interface Prepared {
  /** Absent for a statement that is parsed at each execution. */
  readonly name?: string;
  readonly text: string;
  /** The position of the owner among the values; absent when the statement has no owner. */
  readonly owner?: number | undefined;
}

/** The values of a statement's parameters, in their order. */
export type ParameterTexts = readonly (string | null)[];

/** Receives the result of a query: its rows, or the cause of its failure. */
export type QueryCallback<Row> = (cause: Error | null, rows: readonly Row[]) => void;

/** The row description of a statement. */
interface RowDescription {
  readonly columns: readonly Column[];
  /** A row without values. Filling in a copy of it is faster than adding the members one by one. */
  readonly blank: Readonly<Record<string, unknown>>;
}

interface Column {
  readonly name: string;
  /** Parses PostgreSQL's text of a value; absent when the text is the value. */
  readonly read: ((text: string) => unknown) | undefined;
}

/**
 * Parsers by type number (pg_type): boolean, smallint, integer, json. Other types stay text, including `bigint` and
 * times.
 */
const READERS: ReadonlyMap<number, (text: string) => unknown> = new Map([
  [16, (text: string) => text === 't'],
  [21, Number],
  [23, Number],
  [114, JSON.parse],
]);

/** What is kept of a connection. */
interface Known {
  /** The row descriptions by statement. They do not change: PostgreSQL rejects a plan with other columns. */
  readonly descriptions: Map<string, RowDescription>;
  /** The query that is executed. */
  running: { expire(): void } | undefined;
  /** Ends the one that runs longer than its limit. One for all of a connection, because a timer for each costs more. */
  timer: NodeJS.Timeout | undefined;
}

const KNOWN = new WeakMap<Connection, Known>();

function knownOf(connection: Connection): Known {
  const known = KNOWN.get(connection) ?? { descriptions: new Map(), running: undefined, timer: undefined };
  KNOWN.set(connection, known);
  return known;
}

/**
 * A prepared statement with its values, in the form that a connection of `pg` sends. The query class of `pg` requests
 * the row description at each execution and looks up every parser again.
 */
class PreparedQuery<Row> implements Submittable {
  readonly name: string;
  readonly text: string;
  /** The pool of a host may have a time limit, with which `pg` wraps this callback. */
  callback: QueryCallback<Row>;
  readonly #values: ParameterTexts;
  readonly #limitMs: number;
  readonly #rows: Row[] = [];
  #known: Known | undefined;
  #rowDescription: RowDescription | undefined;

  constructor({ name = '', text }: Prepared, values: ParameterTexts, callback: QueryCallback<Row>, limitMs: number) {
    this.name = name;
    this.text = text;
    this.callback = callback;
    this.#values = values;
    this.#limitMs = limitMs;
  }

  submit(connection: Connection): void {
    const { name, text } = this;
    const isPrepared = name !== '' && connection.parsedStatements[name] !== undefined;
    const known = knownOf(connection);
    this.#known = known;
    this.#rowDescription = isPrepared ? known.descriptions.get(name) : undefined;
    if (this.#limitMs > 0) this.#limit(known);
    // Sends all messages in one packet.
    connection.stream.cork();
    if (!isPrepared) connection.parse({ name, text, types: [] }, true);
    connection.bind({ statement: name, values: [...this.#values] }, true);
    if (!this.#rowDescription) connection.describe({ type: 'P' }, true);
    connection.execute(null, true);
    connection.sync();
    connection.stream.uncork();
  }

  handleRowDescription({ fields }: { readonly fields: readonly { name: string; dataTypeID: number }[] }): void {
    this.#store({
      columns: fields.map(({ name, dataTypeID }) => ({ name, read: READERS.get(dataTypeID) })),
      blank: Object.fromEntries(fields.map(({ name }) => [name, null])),
    });
  }

  /** Keeps the row description for the next execution. */
  #store(described: RowDescription): void {
    this.#rowDescription = described;
    if (this.name !== '') this.#known?.descriptions.set(this.name, described);
  }

  #limit(known: Known): void {
    known.running = this;
    if (known.timer) known.timer.refresh();
    else known.timer = setTimeout(expire, this.#limitMs, known).unref();
  }

  /** Gives up waiting for the response. */
  expire(): void {
    const { callback } = this;
    this.callback = ignore;
    callback(new Error(READ_TIMEOUT), []);
  }

  #end(): void {
    if (this.#known) this.#known.running = undefined;
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const { columns, blank } = this.#rowDescription ?? { columns: [] };
    const row: Record<string, unknown> = { ...blank };
    for (let index = 0; index < columns.length; index += 1) {
      const column = columns[index];
      const text = fields[index];
      if (column && typeof text === 'string') row[column.name] = column.read ? column.read(text) : text;
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the SQL text determines the row type
    this.#rows.push(row as Row);
  }

  handleCommandComplete(): void {
    // For a statement without rows, `pg` passes on no row description.
    if (!this.#rowDescription) this.#store({ columns: [], blank: {} });
  }

  handleEmptyQuery(): void {
    // No statement is empty.
  }

  handleReadyForQuery(): void {
    this.#end();
    this.callback(null, this.#rows);
  }

  handleError(cause: Error): void {
    this.#end();
    this.callback(cause, []);
  }
}

function ignore(): void {
  // The caller has the result already.
}

function expire({ running }: Known): void {
  running?.expire();
}

/** How statements are sent. */
export interface Sending {
  /** Whether by their names, so that they are prepared once per connection. */
  readonly named: boolean;
  /** Maximum wait for a response, in milliseconds. Default: no limit. */
  readonly limitMs?: number;
}

/** Sends a statement over a connection. */
export function sendPrepared<Row>(
  { named, limitMs = 0 }: Sending,
  client: ClientBase,
  { name, text }: Prepared,
  values: ParameterTexts,
  ended: QueryCallback<Row>,
): void {
  const sent = named && name !== undefined ? { name, text } : { text };
  client.query(new PreparedQuery<Row>(sent, values, ended, limitMs));
}
