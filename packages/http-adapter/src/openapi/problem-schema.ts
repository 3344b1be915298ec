import { INVALID_FIELDS_MAX, ORDER_STATUSES } from '@orders/domain';
import { Type } from 'typebox';
import { ERROR_CATALOG } from '../conventions/error-catalog.ts';
import { SCOPES } from '../conventions/authentication.ts';
import { nullable, Timestamp, Uuid } from '../schemas.ts';

const INVALID_CODES = [
  'required',
  'unknown_field',
  'read_only',
  'wrong_type',
  'too_short',
  'too_long',
  'out_of_range',
  'invalid_format',
  'invalid_value',
  'not_found',
  'taken',
];

const InvalidField = Type.Object(
  {
    field: Type.String({
      description: 'Where: `items[0].quantity`, the name of a parameter or header, `""` for the body',
    }),
    message: Type.String({ description: 'What is wrong, for people' }),
    code: Type.String({ enum: INVALID_CODES, description: 'What is wrong, for programs' }),
  },
  { title: 'InvalidField', additionalProperties: false },
);

/** A problem (RFC 9457), whatever its code. */
export const Problem = Type.Object(
  {
    type: Type.String({ format: 'uri', description: 'A page that explains the problem; one for each code' }),
    title: Type.String({ description: 'The same for every problem of its code' }),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.String({ description: 'What went wrong this time, for people' }),
    instance: Type.String({ format: 'uri', description: 'This occurrence' }),
    code: Type.String({
      enum: Object.keys(ERROR_CATALOG),
      description: 'What went wrong, for programs. Codes are final',
    }),
    request_id: Type.String({ description: 'What to name when you ask us about it' }),
    errors: Type.Optional(
      Type.Array(InvalidField, { maxItems: INVALID_FIELDS_MAX, description: 'Every bad field at once' }),
    ),
    current_version: Type.Optional(Type.Integer({ minimum: 1, description: 'The version that the resource is at' })),
    current_status: Type.Optional(Type.String({ enum: [...ORDER_STATUSES] })),
    available_transitions: Type.Optional(Type.Array(Type.String({ enum: [...ORDER_STATUSES] }))),
    cancelled_at: Type.Optional(nullable(Timestamp)),
    order_id: Type.Optional(Type.Unsafe<string>({ ...Uuid, description: 'The order that has the reference' })),
    customer_id: Type.Optional(Type.Unsafe<string>({ ...Uuid, description: 'The customer who has the email' })),
    required_scope: Type.Optional(Type.String({ enum: [...SCOPES] })),
  },
  { title: 'Problem', description: 'Problem details (RFC 9457)' },
);
