/** Every schema that has a title, by it: the document names it once and refers to it. */
export type NamedSchemas = Map<string, unknown>;

/** `value` with a reference in place of each schema that has a title; the schemas are added to `named`. */
export function withReferences(value: unknown, named: NamedSchemas): unknown {
  if (Array.isArray(value)) return value.map((element) => withReferences(element, named));
  if (!isRecord(value)) return value;
  const members = Object.entries(value).map(([name, member]): [string, unknown] => [
    name,
    // What is said as an example or a value is no schema.
    DATA.has(name) ? member : withReferences(member, named),
  ]);
  const schema = Object.fromEntries(members);
  const { title } = value;
  if (typeof title !== 'string' || !('type' in value)) return schema;
  named.set(title, schema);
  return { $ref: `#/components/schemas/${title}` };
}

const DATA = new Set(['example', 'examples', 'enum', 'const', 'default']);

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
