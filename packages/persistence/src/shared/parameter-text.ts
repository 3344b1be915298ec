/** A parameter's value as PostgreSQL reads it from text; `null` for none. */
export function parameterText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (value === null) return null;
  if (typeof value === 'number') return `${value}`;
  if (Array.isArray(value)) return `{${value.map((element) => quoted(parameterText(element))).join()}}`;
  throw new TypeError(`a parameter is neither text nor number: ${typeof value}`);
}

/** An element of an array (PostgreSQL, section 8.15.2). */
function quoted(text: string | null): string {
  return text === null ? 'null' : `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
