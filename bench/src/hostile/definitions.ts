import { type Random, randomOf, shuffled } from './random.ts';

/** A JSON schema, and values that are costly to validate, or invalid in many ways. */
interface Construct {
  /** Generates the schema with `parts` parts. */
  readonly schema: (parts: number) => object;
  /** Texts of JSON of which an array, or an object under different names, is the costly value. */
  readonly elements: readonly [string, ...string[]];
}

type Keyword = (parts: number) => object;

const count = (parts: number) => Array.from({ length: parts }, (_, at) => at);
const named = (parts: number, of: (at: number) => unknown) =>
  Object.fromEntries(count(parts).map((at) => [`m${at}`, of(at)]));
const listOf =
  (items: Keyword): Keyword =>
  (parts) => ({ type: 'array', items: items(parts) });
const text = { type: 'string' };
const constants = (parts: number) => count(parts).map((at) => ({ const: `constant ${at}` }));
const object = { type: 'object' };

/** The keywords that a definition may have, applied to many elements or members. */
const CONSTRUCTS: Readonly<Record<string, Construct>> = {
  oneOf: { schema: listOf((parts) => ({ oneOf: constants(parts) })), elements: ['0', '"constant 0"', '[]'] },
  anyOf: { schema: listOf((parts) => ({ anyOf: constants(parts) })), elements: ['0', '"constant 59"', '{}'] },
  'oneOf of objects': {
    schema: listOf((parts) => ({
      oneOf: count(parts).map((at) => ({
        type: 'object',
        required: ['a', 'b'],
        additionalProperties: false,
        properties: { a: { const: at }, b: text },
      })),
    })),
    elements: ['{}', '{"c":0}', '{"a":0,"b":0}', '0'],
  },
  required: {
    schema: listOf((parts) => ({
      type: 'object',
      required: Object.keys(named(parts, () => text)),
      properties: named(parts, () => text),
    })),
    elements: ['{}', '{"m0":0}', '[]'],
  },
  enum: {
    schema: listOf((parts) => ({ type: 'string', enum: count(parts * 8).map((at) => `value ${at}`) })),
    elements: ['"x"', '0', '"value 400"'],
  },
  'enum of objects': {
    schema: listOf((parts) => ({ enum: count(parts * 8).map((at) => ({ at, list: [at] })) })),
    elements: ['{"at":0,"list":[1]}', '{}', '{"at":9,"list":[9]}'],
  },
  pattern: {
    schema: listOf((parts) => ({
      type: 'string',
      allOf: count(Math.min(parts, 40)).map((at) => ({ type: 'string', pattern: `^(a|b|[a-z0-9]+){1,${at + 2}}$` })),
    })),
    elements: ['"!"', `"${'a'.repeat(200)}!"`, '"ab"', '0'],
  },
  uniqueItems: {
    schema: () => ({ type: 'array', uniqueItems: true, items: { type: ['array', 'object', 'integer', 'string'] } }),
    elements: ['{}', '[]', '[[],{}]', '@', '{"a":@}', '"@"'],
  },
  contains: {
    schema: (parts) => ({
      type: 'array',
      allOf: count(parts).map((at) => ({ type: 'array', contains: { const: at } })),
    }),
    elements: ['"x"', '{}', '0', '[0]'],
  },
  patternProperties: {
    schema: (parts) => ({
      type: 'object',
      patternProperties: Object.fromEntries(count(Math.min(parts, 40)).map((at) => [`^.*${at}`, { type: 'integer' }])),
    }),
    elements: ['""', '0', '{}'],
  },
  additionalProperties: {
    schema: (parts) => ({ type: 'object', additionalProperties: { oneOf: constants(parts) } }),
    elements: ['0', '"constant 3"', '{}'],
  },
  propertyNames: {
    schema: (parts) => ({ type: 'object', propertyNames: { anyOf: constants(parts) } }),
    elements: ['0', '{}'],
  },
  dependentSchemas: {
    schema: (parts) => ({
      type: 'object',
      dependentSchemas: Object.fromEntries(
        count(parts).map((at) => [
          `k${at}`,
          { type: 'object', required: ['a', 'b', 'c', 'd'], properties: { a: text, b: text, c: text, d: text } },
        ]),
      ),
    }),
    elements: ['0', '{}'],
  },
  dependentRequired: {
    schema: (parts) => ({
      type: 'object',
      dependentRequired: Object.fromEntries(count(parts).map((at) => [`k${at}`, count(parts).map((to) => `x${to}`)])),
    }),
    elements: ['0'],
  },
  'nested arrays of objects': {
    schema: listOf((parts) => ({
      type: 'object',
      properties: {
        a: {
          type: 'array',
          items: {
            type: 'object',
            required: Object.keys(named(parts, () => text)),
            properties: named(parts, () => text),
          },
        },
      },
    })),
    elements: ['{"a":[{},{},{},{},{},{}]}', '{"a":[0,0,0,0,0]}', '{"a":{}}'],
  },
  allOf: {
    schema: listOf((parts) => ({
      allOf: count(parts).map((at) => ({ type: 'string', minLength: at + 2 })),
      type: 'string',
    })),
    elements: ['""', '0', '"abc"'],
  },
  not: {
    schema: listOf((parts) => ({ allOf: count(parts).map((at) => ({ not: { const: at } })) })),
    elements: ['0', '1', '{}'],
  },
  if: {
    schema: listOf((parts) => ({
      allOf: count(parts).map((at) => ({
        if: { type: 'integer', minimum: -at },
        else: { type: 'string' },
      })),
    })),
    elements: ['0', '[]', '""'],
  },
  format: {
    schema: (parts) => ({
      type: 'array',
      items: {
        type: 'string',
        format: [
          'email',
          'uri',
          'uri-template',
          'regex',
          'hostname',
          'date-time',
          'duration',
          'json-pointer',
          'ipv6',
          'byte',
        ][parts % 10],
      },
    }),
    elements: [
      `"${'a'.repeat(15_000)}"`,
      `"${'a.'.repeat(7000)}"`,
      '""',
      `"${'a@'.repeat(3000)}"`,
      `"http://${'a:'.repeat(4000)}"`,
      `"${'('.repeat(3000)}"`,
      `"${'1:'.repeat(3000)}"`,
    ],
  },
  unevaluatedProperties: {
    schema: (parts) => ({
      type: 'object',
      allOf: count(parts).map((at) => ({ ...object, properties: { [`k${at}`]: { type: 'integer' } } })),
      unevaluatedProperties: false,
    }),
    elements: ['0', '""', '{}'],
  },
  tuples: {
    schema: (parts) => ({
      type: 'array',
      items: { type: 'array', prefixItems: count(parts).map(() => text), minItems: parts, items: false },
    }),
    elements: ['[]', '[0,0,0,0,0,0,0,0]', '0'],
  },
};

/** The maximum size of `custom` in bytes as JSON. */
const CUSTOM_BYTES = 16 * 1024;

/** A definition of orders whose custom data are costly, and how to generate such data. */
export interface HostileDefinition {
  /** The keywords, for the report. */
  readonly title: string;
  readonly file: object;
  /** The largest custom data of which no costly keyword is applied. */
  readonly largest: object;
  /** The members of custom data that are costly. */
  readonly members: readonly string[];
  /** Generates custom data, as JSON text, with a costly value of a member. */
  readonly custom: (member: string, random: Random) => string;
}

const LIFECYCLE = {
  pending: ['paid', 'cancelled'],
  paid: ['shipped', 'cancelled'],
  shipped: ['delivered'],
  delivered: [],
  cancelled: [],
};

/** Generates a definition with three keywords; further ones have smaller parts as `smaller` grows. */
export function hostileDefinition(seed: number, at: number, smaller: number): HostileDefinition {
  const order = shuffled(Object.entries(CONSTRUCTS), randomOf(seed, 0));
  const random = randomOf(seed, at);
  const chosen = [0, 1, 2].flatMap((offset) => {
    const [name, construct] = order[(at * 3 + offset) % order.length] ?? [];
    return name && construct ? [{ name, construct, parts: Math.ceil(random.pick([60, 60, 25]) / 2 ** smaller) }] : [];
  });
  const schemas = chosen.map(({ name, construct, parts }) => [name, construct.schema(parts)] as const);
  return {
    title: chosen.map(({ name, parts }) => `${name} (${parts})`).join(', '),
    file: {
      lifecycle: LIFECYCLE,
      initial: 'pending',
      cancel: 'cancelled',
      custom: { type: 'object', properties: { plain: text, ...Object.fromEntries(schemas) } },
    },
    largest: { plain: 'a'.repeat(CUSTOM_BYTES - 100) },
    members: chosen.map(({ name }) => name),
    custom: (member, draws) => {
      const { construct } = chosen.find(({ name }) => name === member) ?? {};
      const element = draws.pick(construct?.elements ?? ['0']);
      const bytes = Math.max(1, draws.size(CUSTOM_BYTES - member.length - 20));
      const isObject =
        construct !== undefined &&
        'type' in construct.schema(1) &&
        Reflect.get(construct.schema(1), 'type') === 'object';
      return `{${JSON.stringify(member)}:${filled(element, bytes, isObject)}}`;
    },
  };
}

/** Returns an array or object with as many elements as `bytes` bytes allow, in which `@` is the number of an element. */
function filled(element: string, bytes: number, isObject: boolean): string {
  const texts: string[] = [];
  let left = bytes - 2;
  for (let at = 0; left > 0; at += 1) {
    const next = `${isObject ? `"k${at}":` : ''}${element.replaceAll('@', `${at}`)}`;
    left -= next.length + 1;
    if (left < 0) break;
    texts.push(next);
  }
  return isObject ? `{${texts.join(',')}}` : `[${texts.join(',')}]`;
}
