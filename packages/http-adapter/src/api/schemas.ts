import {
  CURRENCIES,
  METADATA_KEY_LENGTH_MAX,
  METADATA_KEYS_MAX,
  METADATA_VALUE_LENGTH_MAX,
  PAGE_LIMIT_DEFAULT,
  PAGE_LIMIT_MAX,
  PAGE_OFFSET_MAX,
  SORT_DEFAULT,
  SORTS,
} from '@orders/domain';
import { Type, type TSchema, type TSchemaOptions } from 'typebox';

/** A schema for each member of `T`: an answer has what its schema has, and leaves the rest out without a word. */
export type SchemasOf<T> = { readonly [Member in keyof T]-?: TSchema };

/** `schema`, or null. */
export function nullable(schema: TSchema, options: TSchemaOptions = {}): TSchema {
  const type = 'type' in schema ? [...new Set([schema.type, 'null'].flat())] : undefined;
  return Type.Unsafe<unknown>({ ...schema, type, ...options });
}

export const Uuid = Type.String({ format: 'uuid', minLength: 36, maxLength: 36 });

/** Text of people's: every character but U+0000, which no body may have. */
export const TEXT = { pattern: '^[^\\x00]*$' };

/** The number that every resource has. */
export const Version = Type.Integer({
  format: 'int32',
  minimum: 1,
  maximum: 2 ** 31 - 1,
  description: 'Plus one with every change',
});

/**
 * What a text in answers is one of today. Not `enum`, which would promise that there is never another one: a client
 * that meets a new one goes by what is around it, such as the status of a problem.
 */
export function oneOfToday(values: Iterable<string>) {
  return { 'x-extensible-enum': [...values] };
}

export const Timestamp = Type.String({
  format: 'date-time',
  maxLength: 24,
  description: 'RFC 3339, in UTC, to the millisecond',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
});

/** Money as every answer shows it. Answers are open: a field may join them without a new version. */
export const Money = Type.Object(
  {
    amount: Type.Integer({
      format: 'int64',
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Minor units of the currency, such as cents',
    }),
    currency: Type.String({
      ...oneOfToday(CURRENCIES),
      pattern: '^[A-Z]{3}$',
      maxLength: 3,
      description: 'ISO 4217 code',
    }),
  },
  { title: 'Money', description: 'A whole number of minor units: never a fraction' },
);

const METADATA = 'Facts of your own, up to fifty. Keys have no order';
const METADATA_KEY = { type: 'string', ...TEXT, minLength: 1, maxLength: METADATA_KEY_LENGTH_MAX };

/** Metadata as every answer shows it. Not a Record: its pattern misses keys with a line break. */
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

/** What a merge patch (RFC 7396) says of metadata. */
export const MetadataPatch = Type.Unsafe<unknown>({
  type: ['object', 'null'],
  title: 'MetadataPatch',
  description: 'A string sets a key, null removes it; null instead of the object removes all',
  additionalProperties: { type: ['string', 'null'], ...TEXT, maxLength: METADATA_VALUE_LENGTH_MAX },
  propertyNames: METADATA_KEY,
});

/** Longer than any that is written. */
const CURSOR = { pattern: '^[A-Za-z0-9_-]+$', maxLength: 512 };

/** The parameters that every list has. */
export const PAGE_QUERY = {
  limit: Type.Integer({
    format: 'int32',
    minimum: 1,
    maximum: PAGE_LIMIT_MAX,
    default: PAGE_LIMIT_DEFAULT,
    description: 'Most elements of the page. It ends earlier before its free text exceeds 256 KiB; see `has_more`',
  }),
  offset: Type.Integer({
    format: 'int32',
    minimum: 0,
    maximum: PAGE_OFFSET_MAX,
    description: 'How many to pass over. Slower the more; not together with `after`',
  }),
  after: Type.String({
    ...CURSOR,
    description: 'The `next_cursor` of the page before; good for the same list, sort and filter only',
  }),
};

/** The parameter of the lists that can be sorted. */
export const SORT_QUERY = {
  sort: Type.String({
    enum: [...SORTS],
    default: SORT_DEFAULT,
    description:
      'A leading minus means the newest first. By `updated_at`, what changes while you walk may come again or be missed',
  }),
};

/** A page of a list, as it is answered. */
export function pageOf(title: string, element: TSchema): TSchema {
  const page = Type.Object(
    {
      limit: Type.Integer({
        format: 'int32',
        minimum: 1,
        maximum: PAGE_LIMIT_MAX,
        description: 'As it was asked for, or the default',
      }),
      offset: Type.Optional(
        Type.Integer({
          format: 'int32',
          minimum: 0,
          maximum: PAGE_OFFSET_MAX,
          description: 'As it was asked for; absent if it was not',
        }),
      ),
      has_more: Type.Boolean({
        description: 'Whether there is a page after this one; only this member says so, not the number of elements',
      }),
      next_cursor: nullable(Type.String(CURSOR), {
        description: 'The `after` of the next page; null on the last',
      }),
    },
    { title: 'Page', description: 'Where in the list a page is' },
  );
  const data = Type.Array(element, { maxItems: PAGE_LIMIT_MAX });
  return Type.Object({ data, page }, { title, description: 'One page of a list' });
}
