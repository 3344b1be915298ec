import { INVALID_FIELDS_MAX, type InvalidCode, ORDER_STATUSES } from '@orders/domain';
import { Type } from 'typebox';
import { SCOPES } from '../principal.ts';
import { ERROR_CODES } from '../problems/catalog.ts';
import { OrderStatus } from '../api/orders/order-schemas.ts';
import { nullable, oneOfToday, TEXT, Timestamp, Uuid, Version } from '../api/schemas.ts';

const INVALID_CODES: readonly InvalidCode[] = [
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

/** How codes are spelled; a status stands in those of the application around the API. */
export const CODE = { pattern: '^[a-z]+(_([a-z]+|[0-9]+))*$', maxLength: 64 };

const InvalidField = Type.Object(
  {
    field: Type.String({
      // The names of unknown members are told as they were sent.
      maxLength: 1024 * 1024,
      description: 'Where: `items[0].quantity`, the name of a parameter or header, `""` for the body',
    }),
    message: Type.String({ ...TEXT, maxLength: 1024, description: 'What is wrong, for people' }),
    code: Type.String({ ...CODE, ...oneOfToday(INVALID_CODES), description: 'What is wrong, for programs' }),
  },
  { title: 'InvalidField', description: 'One bad field of a request' },
);

/** A problem (RFC 9457), whatever its code. */
export const Problem = Type.Object(
  {
    type: Type.String({
      format: 'uri',
      maxLength: 2048,
      description: 'A page that explains the problem; one for each code',
    }),
    title: Type.String({ ...TEXT, maxLength: 256, description: 'The same for every problem of its code' }),
    status: Type.Integer({ format: 'int32', minimum: 400, maximum: 599, description: 'The status of the answer' }),
    detail: Type.String({ ...TEXT, maxLength: 4096, description: 'What went wrong this time, for people' }),
    instance: Type.String({ format: 'uri', maxLength: 256, description: 'This occurrence' }),
    code: Type.String({
      ...CODE,
      ...oneOfToday(ERROR_CODES),
      description: 'What went wrong, for programs. Codes are final; go by the status when you meet a new one.',
    }),
    request_id: Type.String({
      pattern: '^[A-Za-z0-9._-]+$',
      maxLength: 128,
      description: 'What to name when you ask us about it; the same as `X-Request-Id`',
    }),
    errors: Type.Optional(
      Type.Array(InvalidField, { maxItems: INVALID_FIELDS_MAX, description: 'Every bad field at once' }),
    ),
    current_version: Type.Optional(
      Type.Unsafe<number>({ ...Version, description: 'The version that the resource is at' }),
    ),
    current_status: Type.Optional(OrderStatus),
    available_transitions: Type.Optional(
      Type.Array(OrderStatus, { maxItems: ORDER_STATUSES.length, description: 'What the order may become now' }),
    ),
    cancelled_at: Type.Optional(nullable(Timestamp, { description: 'When the order became cancelled' })),
    order_id: Type.Optional(Type.Unsafe<string>({ ...Uuid, description: 'The order that has the reference' })),
    customer_id: Type.Optional(Type.Unsafe<string>({ ...Uuid, description: 'The customer who has the email' })),
    required_scope: Type.Optional(
      Type.String({
        ...oneOfToday(SCOPES),
        pattern: '^[a-z]+:[a-z]+$',
        maxLength: 64,
        description: 'What the credentials would have to be good for',
      }),
    ),
  },
  { title: 'Problem', description: 'Problem details (RFC 9457)' },
);
