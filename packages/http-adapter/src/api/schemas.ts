import {
  CURRENCIES,
  EMAIL_LENGTH_MAX,
  EMAIL_LENGTH_MIN,
  ITEM_METADATA_KEYS_MAX,
  ITEM_METADATA_VALUE_LENGTH_MAX,
  METADATA_KEY_LENGTH_MAX,
  METADATA_KEYS_MAX,
  METADATA_PATCH_KEYS_MAX,
  METADATA_VALUE_LENGTH_MAX,
  PAGE_LIMIT_DEFAULT,
  PAGE_LIMIT_MAX,
  PAGE_OFFSET_MAX,
  SCANNED_ELEMENTS_MAX,
  SORT_DEFAULT,
  SORTS,
  WITHDRAWN_CURRENCIES,
  type ListFilter,
  type ListFilters,
} from '@orders/domain';
import type { BodyBudget } from '../request-state.ts';
import { type TObject, type TProperties, Type, type TSchema, type TSchemaOptions } from 'typebox';

/** A schema for each member of `T`. Complete, because the serializer silently omits members without a schema. */
export type SchemasOf<T> = { readonly [Member in keyof T]-?: TSchema };

/** Returns `schema` with null as a further value. */
export function nullable(schema: TSchema, options: TSchemaOptions = {}): TSchema {
  const type = 'type' in schema ? [...new Set([schema.type, 'null'].flat())] : undefined;
  return Type.Unsafe<unknown>({ ...schema, title: undefined, type, ...options });
}

/**
 * Returns a schema for one of some resources or null, in which the OpenAPI document refers to the resources by their
 * names. For a response only, because its serializer supports no other union.
 */
export function orNull(resources: readonly TSchema[], options: TSchemaOptions = {}): TSchema {
  return Type.Union([...resources, Type.Null()], options);
}

/** Marks schemas that the document describes by another one and further members. */
const BASE: unique symbol = Symbol('orders: base of a schema');

/** Returns the schema of objects that have the members of another schema, to which the document refers, and further ones. */
export function extended(base: TObject, members: TProperties, options: TSchemaOptions): TSchema {
  const schema = Type.Object({ ...base.properties, ...members }, options);
  return { ...schema, [BASE]: { ...options, allOf: [base, Type.Object(members)] } };
}

/** Returns the form that an {@link extended} schema has in the document; `undefined` for another schema. */
export function extensionOf(schema: object): Readonly<Record<string, unknown>> | undefined {
  return BASE in schema && typeof schema[BASE] === 'object' ? { ...schema[BASE] } : undefined;
}

/** Marks schemas that the document has as they are, with the limit of their values. */
const KEPT: unique symbol = Symbol('orders: kept schema');

/**
 * Returns a schema of a definition, which is the component `title` of the document as it is. The domain limits its values
 * to `bytesMax` as compact JSON.
 */
export function keptSchema(title: string, schema: Readonly<Record<string, unknown>>, bytesMax: number): TSchema {
  return { ...schema, title, [KEPT]: bytesMax };
}

/** Whether a schema is a {@link keptSchema}. */
export function isKept(schema: object): boolean {
  return KEPT in schema;
}

/** Converts a code or the name of a parameter to PascalCase, the case of component names. */
export function componentName(name: string): string {
  return name.replaceAll(/(?:^|[-_])([A-Za-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns the limit of the values of a {@link keptSchema}, in bytes; `undefined` for another schema. */
export function keptBytesMax(schema: object): number | undefined {
  return KEPT in schema && typeof schema[KEPT] === 'number' ? schema[KEPT] : undefined;
}

/** Bytes of a character in JSON at most: two escaped surrogates. */
export const CHARACTER_BYTES = 12;
/** Bytes of one byte of compact JSON in other JSON at most, such as of a character of a name that the API chooses. */
export const ESCAPE_BYTES = 6;

/** Marks schemas whose values in a body have a limit together. */
const TOGETHER: unique symbol = Symbol('orders: limit of all values');

/** Returns a schema whose values in a body are at most `budget` together. The domain checks it. */
export function limitedTogether(schema: TSchema, budget: BodyBudget): TSchema {
  return { ...schema, [TOGETHER]: budget };
}

/** Returns the budget of a schema that is {@link limitedTogether}; `undefined` for another schema. */
export function budgetTogether(schema: object): BodyBudget | undefined {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else sets it
  return TOGETHER in schema ? (schema[TOGETHER] as BodyBudget) : undefined;
}

/** Returns the resources of a union with null; none for another schema. */
export function resourcesOf(schema: object): readonly object[] {
  const union: readonly unknown[] = 'anyOf' in schema && Array.isArray(schema.anyOf) ? schema.anyOf : [];
  return union
    .filter((each): each is object => typeof each === 'object' && each !== null)
    .filter((each) => !('type' in each && each.type === 'null'));
}

export const Uuid = Type.String({ title: 'Uuid', format: 'uuid', minLength: 36, maxLength: 36 });

/** Returns the schema of an id with a description. */
export function describedUuid(description: string): TSchema {
  return Type.Unsafe<string>({ ...Uuid, title: undefined, description });
}

/** Free text: any character except U+0000, which no body may contain. */
export const TEXT = { pattern: '^[^\\x00]*$' };

/** Printable ASCII without `@`, and without a space at an end. */
export const EXTERNAL_USER_ID = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  pattern: '^[!-?A-~]([ -?A-~]{0,253}[!-?A-~])?$',
} as const;

/** An email address, of a customer or a buyer. */
export const Email = Type.String({
  title: 'Email',
  minLength: EMAIL_LENGTH_MIN,
  maxLength: EMAIL_LENGTH_MAX,
  // The rule of the domain, in syntax that all dialects of regular expressions support.
  pattern: '^[^@\\s\\x00-\\x1f\\x7f-\\x9f]+@[^@\\s\\x00-\\x1f\\x7f-\\x9f]+$',
  description: 'Stored as sent; unique among your customers, ignoring case',
});

/** The maximum version number of a resource. */
export const VERSION_MAX = 2 ** 31 - 1;

/** The version number of a resource. */
export const Version = Type.Integer({
  title: 'Version',
  format: 'int32',
  minimum: 1,
  maximum: VERSION_MAX,
  description: 'Increases by one with every change',
});

/**
 * Lists the known values of an open enumeration. `enum` would promise that no other value is ever returned. A client that
 * receives an unknown value uses other members, such as the status of a problem.
 */
export function openEnum(values: Iterable<string>) {
  return { 'x-extensible-enum': [...values] };
}

export const Timestamp = Type.String({
  title: 'Timestamp',
  format: 'date-time',
  maxLength: 24,
  description: 'RFC 3339, in UTC, with millisecond precision',
  examples: ['2026-01-02T03:04:05.678Z'],
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
});

/** The time of something that may not have happened. */
export const OptionalTimestamp = nullable(Timestamp, {
  title: 'OptionalTimestamp',
  description: 'RFC 3339, in UTC, with millisecond precision; null if it has not happened',
});

/** A date and time in a request. Its longest form has nanoseconds and an offset. */
export const DateTime = Type.String({
  title: 'DateTime',
  format: 'date-time',
  maxLength: 35,
  pattern: '^\\d{4}-\\d{2}-\\d{2}[Tt]\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?([Zz]|[+-]\\d{2}:\\d{2})$',
});

/** The same in requests and responses, so that a price of an order is one of a new order, too. */
export const Currency = Type.String({
  title: 'Currency',
  ...openEnum([...CURRENCIES, ...WITHDRAWN_CURRENCIES].toSorted()),
  pattern: '^[A-Z]{3}$',
  maxLength: 3,
  description: 'ISO 4217 code. One that is withdrawn, such as HRK, only in imported orders',
});

/** Money in responses. Not closed, because responses may gain fields without a new version. */
export const Money = Type.Object(
  {
    amount: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Amount in minor units, such as cents',
    }),
    currency: Currency,
  },
  { title: 'Money', description: 'Integer amount in minor units of a currency' },
);

const METADATA = `Your own values by key; at most ${METADATA_KEYS_MAX} keys, in no particular order`;
const METADATA_KEY = { type: 'string', ...TEXT, minLength: 1, maxLength: METADATA_KEY_LENGTH_MAX };

/** Metadata of an item, in responses. */
export const ItemMetadata = Type.Object(
  {},
  {
    title: 'ItemMetadata',
    description: `Your own values by key; at most ${ITEM_METADATA_KEYS_MAX} keys. Fixed, and must not be personal data`,
    additionalProperties: Type.String({ ...TEXT, minLength: 1, maxLength: ITEM_METADATA_VALUE_LENGTH_MAX }),
    maxProperties: ITEM_METADATA_KEYS_MAX,
    propertyNames: METADATA_KEY,
  },
);

/** Metadata in responses. Not a `Type.Record`, whose pattern does not match keys with a line break. */
export const Metadata = Type.Object(
  {},
  {
    title: 'Metadata',
    description: METADATA,
    additionalProperties: Type.String({ ...TEXT, maxLength: METADATA_VALUE_LENGTH_MAX }),
    maxProperties: METADATA_KEYS_MAX,
    propertyNames: METADATA_KEY,
  },
);

/** Metadata of a new resource. */
export const NewMetadata = nullable(Metadata, { title: 'NewMetadata' });

/** The metadata of a merge patch (RFC 7396). */
export const MetadataPatch = Type.Unsafe<unknown>({
  type: ['object', 'null'],
  title: 'MetadataPatch',
  description: 'A string sets a key, null removes it. Null instead of the object removes all keys',
  additionalProperties: { type: ['string', 'null'], ...TEXT, maxLength: METADATA_VALUE_LENGTH_MAX },
  maxProperties: METADATA_PATCH_KEYS_MAX,
  propertyNames: METADATA_KEY,
});

/**
 * The spelling of cursors. The maximum length exceeds that of every cursor: in JSON a reference has up to six bytes per
 * character.
 */
export const CURSOR = { pattern: '^[A-Za-z0-9_-]+$', maxLength: 1024 };

/** The query parameters of every list. */
export const PAGE_QUERY = {
  limit: Type.Integer({
    format: 'int32',
    minimum: 1,
    maximum: PAGE_LIMIT_MAX,
    default: PAGE_LIMIT_DEFAULT,
    description: 'Maximum number of elements per page. A page has fewer if its free text would exceed 256 KiB',
  }),
  offset: Type.Integer({
    format: 'int32',
    minimum: 0,
    maximum: PAGE_OFFSET_MAX,
    description: 'Number of elements to skip. Cost grows with the offset. Cannot be combined with `after`',
  }),
  after: Type.String({
    ...CURSOR,
    description: '`next_cursor` of the previous page. Valid only for the same list, sort order and filter',
  }),
};

/** The query parameter of sortable lists. */
export const SORT_QUERY = {
  sort: Type.String({
    title: 'SortOrder',
    enum: [...SORTS],
    default: SORT_DEFAULT,
    description:
      'Sort order; a leading minus means newest first. With `updated_at`, elements that change between pages may appear twice or be missed',
  }),
};

/** The limit of a page in a response. */
export const PAGE_LIMIT = Type.Integer({
  format: 'int32',
  minimum: 1,
  maximum: PAGE_LIMIT_MAX,
  description: 'Requested limit, or the default',
});

/** Returns the schema of a page of a list. */
export function pageOf(title: string, element: TSchema): TObject {
  const page = Type.Object(
    {
      limit: PAGE_LIMIT,
      offset: Type.Optional(
        Type.Integer({
          format: 'int32',
          minimum: 0,
          maximum: PAGE_OFFSET_MAX,
          description: 'Requested offset; absent if none was requested',
        }),
      ),
      has_more: Type.Boolean({
        description: 'Whether another page follows. Do not infer it from the number of elements',
      }),
      next_cursor: nullable(Type.String(CURSOR), {
        description: 'Value of `after` for the next page; null on the last page',
      }),
    },
    {
      title: 'Page',
      description: 'Position of the page in the list',
      examples: [{ limit: 20, has_more: false, next_cursor: null }],
    },
  );
  const data = Type.Array(element, { maxItems: PAGE_LIMIT_MAX });
  return Type.Object({ data, page }, { title, description: 'One page of a list' });
}

/** Describes the exception of ranges of time to the rule that a page has at least one element. */
export const RANGES = `A range of \`created_at\` in a list sorted by \`updated_at\`, or the other way round, looks at no more than ${SCANNED_ELEMENTS_MAX.toLocaleString('en')} elements for a page: the page may then be empty although \`has_more\` is true, and \`next_cursor\` continues. It cannot be combined with \`offset\`.`;

/** Maximum length of the name of a lookup, with a colon. */
const LOOKUP_NAME_LENGTH_MAX = 50;

/** Returns the query parameters of filters. `names` are the schemas of the names that members of an element have. */
export function filterQuery<Filters extends ListFilters>(
  filters: Filters,
  names: Readonly<Record<string, TSchema>>,
): Readonly<Record<string, TSchema>> {
  return Object.fromEntries(Object.entries(filters).map(([name, filter]) => [name, schemaOf(filter, names)]));
}

function schemaOf(filter: ListFilter, names: Readonly<Record<string, TSchema>>): TSchema {
  const { of, value, excludes = [] } = filter;
  const excluded = excludes.map((name) => `\`${name}\``).join(' and ');
  const description = filter.description + (excluded === '' ? '' : `. Cannot be combined with ${excluded}`);
  if (value === 'uuid') return describedUuid(description);
  if (value === 'uuids') return Type.Array(Uuid, { minItems: 1, maxItems: filter.max, description });
  if (value === 'text') return Type.String({ ...TEXT, minLength: 1, maxLength: filter.max, description });
  if (value === 'prefix') return Type.String({ ...TEXT, minLength: filter.min, maxLength: filter.max, description });
  if (value === 'integer') return Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });
  if (value === 'time') {
    const after = filter.from === undefined ? '' : `, which is after \`${filter.from}\``;
    return Type.Unsafe<string>({ ...DateTime, description: `${description}${after}` });
  }
  if (value === 'lookup')
    return Type.String({
      pattern: `^(?:${filter.name}):[^\\x00]{1,${filter.max}}$`,
      minLength: 1,
      maxLength: LOOKUP_NAME_LENGTH_MAX + filter.max,
      description,
    });
  const element = names[of];
  if (!element) throw new TypeError(`the names of ${of} have no schema`);
  return Type.Array(element, { minItems: 1, maxItems: filter.names.length, description });
}
