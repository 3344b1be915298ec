import { isDeepStrictEqual } from 'node:util';
import { listOf, type Members, membersOf, missingFrom, resolved } from './json-values.ts';

/** Two documents, and the direction in which values of a schema are sent. */
export interface Comparison {
  readonly before: unknown;
  readonly after: unknown;
  readonly direction: 'request' | 'response';
  /** Cache of references whose schemas have no breaking changes. */
  readonly unbroken: Set<unknown>;
}

const LOWER_LIMITS = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const UPPER_LIMITS = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
/** Keywords that do not restrict values, or that a function below compares. */
const COMPARED = new Set([
  ...LOWER_LIMITS,
  ...UPPER_LIMITS,
  'title',
  'description',
  'example',
  'examples',
  'deprecated',
  'type',
  'enum',
  'const',
  'x-extensible-enum',
  'pattern',
  'format',
  'multipleOf',
  'uniqueItems',
  'default',
  'properties',
  'required',
  'additionalProperties',
  'propertyNames',
  'items',
]);

/** Returns the changes of a schema that could break a client. */
export function breakingInSchema(comparison: Comparison, before: unknown, after: unknown, at: string): string[] {
  const { $ref } = membersOf(before);
  const same = $ref !== undefined && isDeepStrictEqual(before, after);
  if (same && comparison.unbroken.has($ref)) return [];
  const breaking = inSchema(comparison, before, after, at);
  if (same && breaking.length === 0) comparison.unbroken.add($ref);
  return breaking;
}

function inSchema(comparison: Comparison, before: unknown, after: unknown, at: string): string[] {
  const [old, now] = [flat(comparison.before, before), flat(comparison.after, after)];
  const unknown = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
    (name) => !COMPARED.has(name) && !isDeepStrictEqual(old[name], now[name]),
  );
  return [
    ...inType(comparison, old, now).map((what) => `${at}: ${what}`),
    ...inValues(comparison, old, now).map((what) => `${at}: ${what}`),
    ...inLimits(comparison, old, now).map((what) => `${at}: ${what}`),
    ...inMembers(comparison, old, now, at),
    ...unknown.map((name) => `${at}: ${name} changed, which this check cannot compare`),
  ];
}

/** Resolves the references and `allOf` at the top of a schema. */
export function flat(document: unknown, schema: unknown): Members {
  const { allOf, ...own } = resolved(document, schema);
  const parts = [...listOf(allOf).map((part) => flat(document, part)), own];
  const required = parts.flatMap((part) => listOf(part['required']));
  const properties: Record<string, unknown> = {};
  for (const [name, property] of parts.flatMap((part) => Object.entries(membersOf(part['properties'])))) {
    properties[name] = name in properties ? { ...flat(document, properties[name]), ...membersOf(property) } : property;
  }
  return { ...Object.fromEntries(parts.flatMap((part) => Object.entries(part))), properties, required };
}

function inType({ direction }: Comparison, before: Members, after: Members): string[] {
  const [old, now] = [typesOf(before), typesOf(after)];
  const [wide, narrow] = direction === 'request' ? [now, old] : [old, now];
  const lost = wide.length === 0 ? [] : missingFrom(wide, narrow.length === 0 ? ['anything'] : narrow);
  return lost.length === 0 ? [] : [`the type was ${old.join(' or ')} and is ${now.join(' or ')}`];
}

function typesOf({ type }: Members): readonly unknown[] {
  const types = type === undefined ? [] : [type].flat();
  return types.includes('number') ? [...types, 'integer'] : types;
}

function inValues({ direction }: Comparison, before: Members, after: Members): string[] {
  const [old, now] = [valuesOf(before), valuesOf(after)];
  const [oldOpen, nowOpen] = [before, after].map((schema) => listOf(schema['x-extensible-enum']));
  const removed = old && now ? missingFrom(now, old) : [];
  const added = old && now ? missingFrom(old, now) : [];
  return [
    ...missingFrom(nowOpen ?? [], oldOpen ?? []).map((value) => `the value ${String(value)} is gone`),
    ...removed.map((value) => `the value ${String(value)} is gone`),
    ...(direction === 'response' ? added.map((value) => `the value ${String(value)} is new in responses`) : []),
    ...(direction === 'response' && old && !now ? ['any value may be returned'] : []),
    ...(direction === 'request' && !old && now ? ['only listed values are accepted'] : []),
  ];
}

function valuesOf(schema: Members): readonly unknown[] | undefined {
  if ('const' in schema) return [schema['const']];
  return 'enum' in schema ? listOf(schema['enum']) : undefined;
}

/** Limits of responses are informative and may change. Limits of requests must not become tighter. */
function inLimits({ direction }: Comparison, before: Members, after: Members): string[] {
  const sent = direction === 'request';
  const changed = (name: string) => !isDeepStrictEqual(before[name], after[name]);
  const gained = (name: string) => changed(name) && (sent ? name in after : name in before);
  const tighter = (names: readonly string[], sign: 1 | -1) =>
    names.filter((name) => {
      const [old, now] = [before[name], after[name]];
      return typeof now === 'number' && (typeof old !== 'number' || sign * now > sign * old);
    });
  return [
    ...(sent ? [...tighter(LOWER_LIMITS, 1), ...tighter(UPPER_LIMITS, -1)].map((name) => `${name} is tighter`) : []),
    // Clients must accept any new value of an open enumeration, whatever its spelling.
    ...['pattern', 'format', 'multipleOf']
      .filter((name) => gained(name) && !(name === 'pattern' && !sent && 'x-extensible-enum' in before))
      .map((name) => `${name} changed`),
    ...(sent && changed('uniqueItems') && after['uniqueItems'] === true ? ['duplicates are rejected'] : []),
    ...(sent && changed('default') ? ['the default changed'] : []),
  ];
}

function inMembers(comparison: Comparison, before: Members, after: Members, at: string): string[] {
  const sent = comparison.direction === 'request';
  const [old, now] = [membersOf(before['properties']), membersOf(after['properties'])];
  const [oldRequired, nowRequired] = [listOf(before['required']), listOf(after['required'])];
  const known = Object.keys(old).filter((name) => name in now);
  const below = (name: string) => breakingInSchema(comparison, old[name], now[name], `${at}.${name}`);
  return [
    ...missingFrom(Object.keys(now), Object.keys(old)).map((name) => `${at}.${String(name)}: is gone`),
    ...(sent ? missingFrom(oldRequired, nowRequired).map((name) => `${at}.${String(name)}: is required`) : []),
    ...(sent ? [] : missingFrom(nowRequired, oldRequired).map((name) => `${at}.${String(name)}: may be absent`)),
    ...known.flatMap(below),
    ...inParts(comparison, before, after, at),
  ];
}

/** Compares the keywords whose values are schemas. */
function inParts(comparison: Comparison, before: Members, after: Members, at: string): string[] {
  const sent = comparison.direction === 'request';
  return ['additionalProperties', 'propertyNames', 'items'].flatMap((name) => {
    const [old, now] = [before[name], after[name]];
    if (isSchema(old) && isSchema(now)) return breakingInSchema(comparison, old, now, `${at} ${name}`);
    if (isDeepStrictEqual(old ?? true, now ?? true)) return [];
    const narrower = now === false || isSchema(now);
    return narrower === sent ? [`${at}: ${name} ${sent ? 'rejects more' : 'allows more'}`] : [];
  });
}

function isSchema(value: unknown): boolean {
  return typeof value === 'object';
}
