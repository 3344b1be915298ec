import {
  type Customer as CustomerOfDomain,
  type Erasure as ErasureOfDomain,
  CUSTOMER_NAME_LENGTH_MAX,
} from '@orders/domain';
import { Type } from 'typebox';
import {
  Metadata,
  MetadataPatch,
  NewMetadata,
  nullable,
  OptionalTimestamp,
  Email,
  orNull,
  pageOf,
  type SchemasOf,
  TEXT,
  Timestamp,
  Uuid,
  Version,
} from '../schemas.ts';

const Name = nullable(Type.String({ ...TEXT, minLength: 1, maxLength: CUSTOMER_NAME_LENGTH_MAX }));

export const NEW_CUSTOMER = { email: 'ada@example.com', name: 'Ada', metadata: { segment: 'b2b' } };

const CUSTOMER = {
  id: '019b2a4e-8f00-7000-8000-0000000000c1',
  ...NEW_CUSTOMER,
  version: 1,
  created_at: '2026-01-02T03:04:05.678Z',
  updated_at: '2026-01-02T03:04:05.678Z',
  erased_at: null,
  erasure: null,
};

/** A customer after an erasure whose orders are erased, too. */
export const ERASED_CUSTOMER = {
  ...CUSTOMER,
  email: null,
  name: null,
  metadata: {},
  version: 2,
  updated_at: '2026-01-03T04:05:06.789Z',
  erased_at: '2026-01-03T04:05:06.789Z',
  erasure: { status: 'done' },
};

const Erasure = Type.Object(
  {
    status: Type.String({
      enum: ['pending', 'done'] satisfies readonly ErasureOfDomain['status'][],
      description:
        'pending until the orders of the customer are erased, too, and again while an erasure is repeated. Until then earlier data may appear',
    }),
  },
  { title: 'Erasure', description: 'The erasure of the data of a person' },
);

/** The schema of a customer, the same in every response. */
export const Customer = Type.Object(
  {
    id: Uuid,
    email: nullable(Email, { description: 'Unique among your customers, ignoring case; null once erased' }),
    name: Name,
    metadata: Metadata,
    version: Version,
    created_at: Timestamp,
    updated_at: Timestamp,
    erased_at: OptionalTimestamp,
    erasure: orNull([Erasure], { description: 'null unless the customer is erased' }),
  } satisfies SchemasOf<CustomerOfDomain>,
  { title: 'Customer', description: 'A buyer that orders can refer to', examples: [CUSTOMER] },
);

export const CustomerList = pageOf('CustomerList', Customer);

/** The body of a new customer. */
export const NewCustomer = Type.Object(
  { email: Email, name: Type.Optional(Name), metadata: Type.Optional(NewMetadata) },
  { title: 'NewCustomer', description: 'Request body to create a customer', additionalProperties: false },
);

/** The body of a search for a customer. */
export const CustomerSearch = Type.Object(
  { email: Email },
  { title: 'CustomerSearch', description: 'What a customer is found by', additionalProperties: false },
);

/** A merge patch of a customer. */
export const CustomerChange = Type.Object(
  { email: Type.Optional(Email), name: Type.Optional(Name), metadata: Type.Optional(MetadataPatch) },
  { title: 'CustomerChange', additionalProperties: false, description: 'A JSON Merge Patch (RFC 7396)' },
);
