import { INVALID_FIELDS_MAX, type InvalidCode } from '@orders/domain';
import { Type } from 'typebox';
import { SCOPES } from '../principal.ts';
import { ERROR_CODES } from '../problems/catalog.ts';
import { cancelledAt, orderStatus, perDefinition, statusSet } from '../api/definition-schemas.ts';
import { CURSOR, describedUuid, openEnum, OptionalTimestamp, TEXT, Version } from '../api/schemas.ts';

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

/** The spelling of codes. Those of a host application contain a status, such as `http_403`. */
const CODE = { pattern: '^[a-z]+(_([a-z]+|[0-9]+))*$', maxLength: 64 };

const InvalidField = Type.Object(
  {
    field: Type.String({
      // The name of an unknown field is returned as it was sent.
      maxLength: 1024 * 1024,
      description: 'Invalid field such as `items[0].quantity`, name of the parameter or header, or `""` for the body',
    }),
    message: Type.String({ ...TEXT, maxLength: 1024, description: 'Human-readable reason' }),
    code: Type.String({ ...CODE, ...openEnum(INVALID_CODES), description: 'Machine-readable reason' }),
  },
  { title: 'InvalidField', description: 'One invalid field, parameter or header' },
);

/** Returns the schema of problem details (RFC 9457), for every code. */
export const problemSchema = perDefinition((definition) =>
  Type.Object(
    {
      type: Type.String({
        format: 'uri',
        maxLength: 2048,
        description: 'URL of the page that explains the `code`',
      }),
      title: Type.String({
        ...TEXT,
        maxLength: 256,
        description: 'Short summary, the same for every problem with this `code`',
      }),
      status: Type.Integer({ format: 'int32', minimum: 400, maximum: 599, description: 'HTTP status of the response' }),
      detail: Type.String({ ...TEXT, maxLength: 4096, description: 'Human-readable explanation of this occurrence' }),
      instance: Type.String({ format: 'uri', maxLength: 256, description: 'URI of this occurrence' }),
      code: Type.String({
        ...CODE,
        ...openEnum(ERROR_CODES),
        description: 'Machine-readable kind of problem. Codes never change; handle an unknown one by its `status`',
      }),
      request_id: Type.String({
        pattern: '^[A-Za-z0-9._-]+$',
        maxLength: 128,
        description: 'Id to quote in a support request; same as `X-Request-Id`',
      }),
      errors: Type.Optional(
        Type.Array(InvalidField, {
          maxItems: INVALID_FIELDS_MAX,
          description: 'All invalid fields, parameters and headers',
        }),
      ),
      current_version: Type.Optional(
        Type.Unsafe<number>({ ...Version, title: undefined, description: 'Current version of the resource' }),
      ),
      current_status: Type.Optional(orderStatus(definition)),
      available_transitions: Type.Optional(statusSet(definition)),
      [cancelledAt(definition)]: Type.Optional(OptionalTimestamp),
      order_id: Type.Optional(describedUuid('Order that has the reference')),
      customer_id: Type.Optional(describedUuid('Customer that has the email')),
      oldest_cursor: Type.Optional(Type.String({ ...CURSOR, description: 'Cursor before the oldest event' })),
      required_scope: Type.Optional(
        Type.String({
          ...openEnum(SCOPES),
          pattern: '^[a-z]+:[a-z]+$',
          maxLength: 64,
          description: 'Scope that the credentials lack',
        }),
      ),
    },
    { title: 'Problem', description: 'Problem details (RFC 9457)' },
  ),
);
