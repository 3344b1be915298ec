import type { Connection, Submittable } from 'pg';

declare module 'pg' {
  interface Connection {
    /** What was prepared on this connection, by name. */
    readonly parsedStatements: Readonly<Record<string, string | undefined>>;
  }
}

/** A statement that PostgreSQL keeps, parsed and planned, for as long as a connection lasts. */
export interface Prepared {
  /** Empty for one that is to be parsed anew each time. */
  readonly name: string;
  readonly text: string;
  /** The position among the values of the owner whose rows it is about; absent when it is about no owner's. */
  readonly owner?: number | undefined;
}

/** The values of a statement's parameters, in their order. */
export type ParameterTexts = readonly (string | null)[];

/** Told how a query ended: with its rows, or why without. */
export type Ended<Row> = (cause: Error | null, rows: readonly Row[]) => void;

/** What PostgreSQL said of a statement's rows. */
interface Described {
  readonly columns: readonly Column[];
  /** A row without values: to fill in a copy of it is faster than to make one member after the other. */
  readonly blank: Readonly<Record<string, unknown>>;
}

interface Column {
  readonly name: string;
  /** Reads PostgreSQL's text of a value; without it the text is the value. */
  readonly read: ((text: string) => unknown) | undefined;
}

/** By the types' numbers (pg_type): boolean, smallint, integer, json. All else stays text: `bigint` and times, too. */
const READERS: ReadonlyMap<number, (text: string) => unknown> = new Map([
  [16, (text: string) => text === 't'],
  [21, Number],
  [23, Number],
  [114, JSON.parse],
]);

/** The rows of each statement on each connection. They stay the same: PostgreSQL refuses a plan that has others. */
const DESCRIBED = new WeakMap<Connection, Map<string, Described>>();

/**
 * A prepared statement with its values, as a connection of `pg` sends it, one at a time. The query that `pg` has itself
 * asks PostgreSQL each time again what columns there are, and looks up how to read each.
 */
export class PreparedQuery<Row> implements Submittable {
  readonly name: string;
  readonly text: string;
  /** `pg` puts its own around it when answers have a time limit. */
  callback: Ended<Row>;
  readonly #values: ParameterTexts;
  readonly #rows: Row[] = [];
  #connection: Connection | undefined;
  #described: Described | undefined;

  constructor({ name, text }: Prepared, values: ParameterTexts, callback: Ended<Row>) {
    this.name = name;
    this.text = text;
    this.callback = callback;
    this.#values = values;
  }

  submit(connection: Connection): void {
    const { name, text } = this;
    const isPrepared = name !== '' && connection.parsedStatements[name] !== undefined;
    this.#connection = connection;
    this.#described = isPrepared ? DESCRIBED.get(connection)?.get(name) : undefined;
    // All in one packet.
    connection.stream.cork();
    if (!isPrepared) connection.parse({ name, text, types: [] }, true);
    connection.bind({ statement: name, values: [...this.#values] }, true);
    if (!this.#described) connection.describe({ type: 'P' }, true);
    connection.execute(null, true);
    connection.sync();
    connection.stream.uncork();
  }

  handleRowDescription({ fields }: { readonly fields: readonly { name: string; dataTypeID: number }[] }): void {
    this.#keep({
      columns: fields.map(({ name, dataTypeID }) => ({ name, read: READERS.get(dataTypeID) })),
      blank: Object.fromEntries(fields.map(({ name }) => [name, null])),
    });
  }

  /** Keeps what was said of the rows for the next time. */
  #keep(described: Described): void {
    this.#described = described;
    if (this.name === '' || !this.#connection) return;
    const known = DESCRIBED.get(this.#connection) ?? new Map<string, Described>();
    DESCRIBED.set(this.#connection, known.set(this.name, described));
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const { columns, blank } = this.#described ?? { columns: [] };
    const row: Record<string, unknown> = { ...blank };
    for (let index = 0; index < columns.length; index += 1) {
      const column = columns[index];
      const text = fields[index];
      if (column && typeof text === 'string') row[column.name] = column.read ? column.read(text) : text;
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what its rows are only the statement's text says
    this.#rows.push(row as Row);
  }

  handleCommandComplete(): void {
    // Of a statement without rows PostgreSQL says nothing that `pg` would pass on.
    if (!this.#described) this.#keep({ columns: [], blank: {} });
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
