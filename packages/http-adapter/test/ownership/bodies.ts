import type { RequestSchema } from '../fuzz/request-schema.ts';

/** Where values come from that mean something. */
export interface Source {
  /** A text that nobody else has. */
  readonly text: () => string;
  /** An id for the member `name`; `null` for none. */
  readonly id: (name: string) => string | null;
}

/** The body with every member that `schema` has, or with the required ones alone. */
export function aBody(schema: RequestSchema, source: Source, members: 'all' | 'required', name = ''): unknown {
  const { types, values, isUuid, properties, required, items, others, names } = schema;
  const inside = (part: RequestSchema, partName: string) => aBody(part, source, members, partName);
  if (isUuid) return source.id(name);
  if (values) return values[0];
  if (types.includes('string')) return aText(schema, source);
  if (types.includes('integer')) return Math.min(Math.max(2, schema.minimum), schema.maximum);
  if (items) {
    const count = Math.min(schema.maxItems, Math.max(schema.minItems, members === 'all' ? 2 : 0));
    return Array.from({ length: count }, () => inside(items, name));
  }
  if (others && names) return members === 'all' ? { [aText(names, source)]: inside(others, name) } : {};
  const wanted = Object.entries(properties).filter(([each]) => members === 'all' || required.includes(each));
  return Object.fromEntries(wanted.map(([each, property]) => [each, inside(property, each)]));
}

/** A text that `schema` allows, with one in it that nobody else has. */
function aText({ pattern, minLength, maxLength }: RequestSchema, { text }: Source): string {
  const own = text();
  const found = [own, `${own}@example.test`].find(
    (each) => each.length >= minLength && each.length <= maxLength && (pattern?.test(each) ?? true),
  );
  if (found !== undefined) return found;
  throw new Error(`the probe has no text for ${String(pattern)}, ${minLength} to ${maxLength} characters`);
}
