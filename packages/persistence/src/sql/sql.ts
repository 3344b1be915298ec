/** SQL text, with places for values. `T` is the type of its value or of its rows, which the text alone determines. */
export interface Sql<out T = unknown> {
  readonly parts: readonly (string | Place)[];
  /** Never present. */
  readonly type?: T;
}

/** The place of a value: its name among those that an execution passes. */
interface Place {
  readonly value: string;
}

/** Returns a text as SQL, with other SQL inserted. */
export function sql<T = unknown>(text: TemplateStringsArray, ...inserted: readonly Sql[]): Sql<T> {
  return { parts: text.flatMap((part, index) => [part, ...(inserted[index]?.parts ?? [])]) };
}

/** Returns a text as it is. */
sql.raw = (text: string): Sql => ({ parts: [text] });

/** Returns a quoted name. */
sql.id = (name: string): Sql => sql.raw(quote(name));

/** Returns the quoted name of a column, with that of its table before it if it has a dot. */
sql.ref = (path: string): Sql => sql.raw(path.split('.').map(quote).join('.'));

/** Returns a constant of the program. */
sql.lit = (value: string | number | boolean): Sql =>
  sql.raw(typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : `${value}`);

/** Joins SQL by commas, or by another `separator`. */
sql.join = (list: readonly Sql[], separator: Sql = sql`, `): Sql => ({
  parts: list.flatMap(({ parts }, index) => (index === 0 ? parts : [...separator.parts, ...parts])),
});

/** Returns the text, with what `placeOf` returns for the name of each value; by default the name. */
export function textOf({ parts }: Sql, placeOf: (value: string) => string = (value) => value): string {
  return parts.map((part) => (typeof part === 'string' ? part : placeOf(part.value))).join('');
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
