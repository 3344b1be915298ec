import type { Connection, ClientBase, Submittable } from 'pg';

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

/**
 * The row descriptions of each connection, by statement. They do not change: PostgreSQL rejects a plan with other
 * columns.
 */
const ROW_DESCRIPTIONS = new WeakMap<Connection, Map<string, RowDescription>>();

/**
 * A prepared statement with its values, in the form that a connection of `pg` sends. The query class of `pg` requests
 * the row description at each execution and looks up every parser again.
 */
class PreparedQuery<Row> implements Submittable {
  readonly name: string;
  readonly text: string;
  /** `pg` wraps this callback when queries have a time limit. */
  callback: QueryCallback<Row>;
  readonly #values: ParameterTexts;
  readonly #rows: Row[] = [];
  #connection: Connection | undefined;
  #rowDescription: RowDescription | undefined;

  constructor({ name = '', text }: Prepared, values: ParameterTexts, callback: QueryCallback<Row>) {
    this.name = name;
    this.text = text;
    this.callback = callback;
    this.#values = values;
  }

  submit(connection: Connection): void {
    const { name, text } = this;
    const isPrepared = name !== '' && connection.parsedStatements[name] !== undefined;
    this.#connection = connection;
    this.#rowDescription = isPrepared ? ROW_DESCRIPTIONS.get(connection)?.get(name) : undefined;
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
    if (this.name === '' || !this.#connection) return;
    const known = ROW_DESCRIPTIONS.get(this.#connection) ?? new Map<string, RowDescription>();
    ROW_DESCRIPTIONS.set(this.#connection, known.set(this.name, described));
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
    this.callback(null, this.#rows);
  }

  handleError(cause: Error): void {
    this.callback(cause, []);
  }
}

/** Sends a statement over a connection; by its name if statements are `named`. */
export function sendPrepared<Row>(
  { named }: { readonly named: boolean },
  client: ClientBase,
  { name, text }: Prepared,
  values: ParameterTexts,
  ended: QueryCallback<Row>,
): void {
  client.query(new PreparedQuery<Row>(named && name !== undefined ? { name, text } : { text }, values, ended));
}
