import type { RequestSchema } from '../hostile/request-schema.ts';
import { idsIn } from './families.ts';

/** Source of meaningful values. */
export interface Source {
  /** Returns a unique text. */
  readonly text: () => string;
  /** Returns an id for the member `name`, or `null`. */
  readonly id: (name: string) => string | null;
}

/** Returns a body with all members of `schema`, or only with the required ones. */
export function aBody(schema: RequestSchema, source: Source, members: 'all' | 'required', name = ''): unknown {
  const { types, values, isUuid, properties, required, items, others, names } = schema;
  const inside = (part: RequestSchema, partName: string) => aBody(part, source, members, partName);
  if (isUuid) return source.id(name);
  if (values) return values.includes(CURRENCY) ? CURRENCY : values[0];
  if (types.includes('string')) return aText(schema, source);
  if (types.includes('integer')) return anInteger(schema);
  if (types.includes('boolean')) return false;
  if (items) {
    // A list of ids has none of them twice.
    const most = idsIn(items).length > 0 ? 1 : 2;
    const count = Math.min(schema.maxItems, Math.max(schema.minItems, members === 'all' ? most : 0));
    return Array.from({ length: count }, () => inside(items, name));
  }
  if (others && names) return members === 'all' ? { [aText(names, source)]: inside(others, name) } : {};
  const wanted = Object.entries(properties).filter(([each]) => members === 'all' || required.includes(each));
  return Object.fromEntries(wanted.map(([each, property]) => [each, inside(property, each)]));
}

/** The currency of the examples of the document. */
const CURRENCY = 'EUR';

/** A price of which the examples can give something back. */
const PRICE = 1000;

/** Returns the price where it is allowed; else what is closest to 0, which has either sign, and is the index of a list. */
function anInteger({ minimum, maximum }: RequestSchema): number {
  return Math.max(minimum, minimum < 0 || maximum < PRICE ? 0 : PRICE);
}

/** A time at which every resource has its newest version. */
export const DISTANT_FUTURE = '9999-12-31T23:59:59Z';

/** Returns a text that `schema` allows and that contains a unique one, or a time. A URL leads nowhere. */
function aText({ isDateTime, isUri, pattern, minLength, maxLength }: RequestSchema, { text }: Source): string {
  if (isDateTime) return DISTANT_FUTURE;
  const own = text();
  if (isUri) return `https://${own}.example.test/`;
  const found = [own, `${own}@example.test`].find(
    (each) => each.length >= minLength && each.length <= maxLength && (pattern?.test(each) ?? true),
  );
  if (found !== undefined) return found;
  throw new Error(`the probe has no text for ${String(pattern)}, ${minLength} to ${maxLength} characters`);
}
