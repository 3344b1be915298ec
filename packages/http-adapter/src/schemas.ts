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

/** `schema`, or null. */
export function nullable(schema: TSchema, options: TSchemaOptions = {}): TSchema {
  const type = 'type' in schema && typeof schema.type === 'string' ? [schema.type, 'null'] : undefined;
  return Type.Unsafe<unknown>({ ...schema, type, ...options });
}

export const Uuid = Type.String({ format: 'uuid' });

export const Timestamp = Type.String({
  format: 'date-time',
  description: 'RFC 3339, in UTC, to the millisecond',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
});

/** Money as every answer shows it. */
export const Money = Type.Object(
  {
    amount: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Minor units of the currency, such as cents',
    }),
    currency: Type.String({ enum: [...CURRENCIES], description: 'ISO 4217 code' }),
  },
  { title: 'Money', description: 'A whole number of minor units: never a fraction', additionalProperties: false },
);

const METADATA = 'Facts of your own, up to fifty. Keys keep the order they were sent in';

/** Metadata as every answer shows it. Not a Record: its pattern misses keys with a line break. */
export const Metadata = Type.Object(
  {},
  {
    title: 'Metadata',
    description: METADATA,
    additionalProperties: Type.String({ maxLength: METADATA_VALUE_LENGTH_MAX }),
    maxProperties: METADATA_KEYS_MAX,
    propertyNames: { type: 'string', minLength: 1, maxLength: METADATA_KEY_LENGTH_MAX },
  },
);

/** Metadata of a new resource. */
export const NewMetadata = nullable(Metadata, { title: 'NewMetadata' });

/** What a merge patch (RFC 7396) says of metadata. */
export const MetadataPatch = Type.Unsafe<unknown>({
  type: ['object', 'null'],
  title: 'MetadataPatch',
  description: 'A string sets a key, null removes it; null instead of the object removes all',
  additionalProperties: { type: ['string', 'null'], maxLength: METADATA_VALUE_LENGTH_MAX },
  propertyNames: { type: 'string', minLength: 1, maxLength: METADATA_KEY_LENGTH_MAX },
});

/** The parameters that every list has. */
export const PAGE_QUERY = {
  limit: Type.Integer({
    minimum: 1,
    maximum: PAGE_LIMIT_MAX,
    default: PAGE_LIMIT_DEFAULT,
    description: 'How many to answer with at most',
  }),
  offset: Type.Integer({
    minimum: 0,
    maximum: PAGE_OFFSET_MAX,
    description: 'How many to pass over. Slower the more; not together with `after`',
  }),
  after: Type.String({
    pattern: '^[A-Za-z0-9_-]+$',
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
      limit: Type.Integer({ minimum: 1, maximum: PAGE_LIMIT_MAX }),
      offset: Type.Optional(Type.Integer({ minimum: 0, maximum: PAGE_OFFSET_MAX })),
      has_more: Type.Boolean(),
      next_cursor: nullable(Type.String(), { description: 'Where the next page begins; null on the last' }),
    },
    { title: 'Page', additionalProperties: false },
  );
  const data = Type.Array(element, { maxItems: PAGE_LIMIT_MAX });
  return Type.Object({ data, page }, { title, additionalProperties: false });
}
