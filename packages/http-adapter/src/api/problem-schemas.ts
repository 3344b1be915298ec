import { INVALID_CODES, INVALID_FIELDS_MAX, type OrderDefinition, QUANTITY_MAX } from '@orders/domain';
import { Type, type TSchema } from 'typebox';
import { SCOPES } from '../principal.ts';
import { CODE, problemsOf, type ProblemSummary, statusesOf } from '../problems/catalog.ts';
import { exampleOf } from '../problems/from-domain.ts';
import { cancelledAt, orderStatus, perDefinition, statusSet } from './definition-schemas.ts';
import { componentName, CURSOR, describedUuid, openEnum, OptionalTimestamp, TEXT, Version } from './schemas.ts';

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

const InvalidFields = Type.Array(InvalidField, {
  title: 'InvalidFields',
  minItems: 1,
  maxItems: INVALID_FIELDS_MAX,
  description: 'All invalid fields, parameters and headers',
});

const Detail = Type.String({
  ...TEXT,
  title: 'Detail',
  maxLength: 4096,
  description: 'Human-readable explanation of this occurrence',
});

/** Returns the members of every problem (RFC 9457). */
const problemMembers = perDefinition((definition) =>
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
      detail: Detail,
      instance: Type.String({
        format: 'uri',
        maxLength: 256,
        description: 'URI of this occurrence',
        examples: ['urn:orders:request:a1'],
      }),
      code: Type.String({
        ...CODE,
        ...openEnum(Object.keys(problemsOf(definition))),
        description: 'Machine-readable kind of problem. Codes never change; handle an unknown one by its `status`',
      }),
      request_id: Type.String({
        pattern: '^[A-Za-z0-9._-]+$',
        maxLength: 128,
        description: 'Id to quote in a support request; same as `X-Request-Id`',
        examples: ['a1'],
      }),
    },
    { title: 'Problem', description: 'The members of every problem, also of one with an unknown `code` (RFC 9457)' },
  ),
);

/** Returns the schema of each member that problems with some codes always have. */
const memberSchemas = perDefinition((definition): Readonly<Record<string, TSchema>> => ({
  errors: InvalidFields,
  current_version: Type.Unsafe<number>({
    ...Version,
    title: undefined,
    description: 'Current version of the resource',
  }),
  current_status: orderStatus(definition),
  available_transitions: statusSet(definition),
  cancelled_at: OptionalTimestamp,
  [cancelledAt(definition)]: OptionalTimestamp,
  order_id: describedUuid('Order that has the reference or id'),
  customer_id: describedUuid('Customer that has the email'),
  item_id: describedUuid('Item that the command takes too much of'),
  available: Type.Integer({
    format: 'int32',
    minimum: 0,
    maximum: QUANTITY_MAX,
    description: 'Quantity of the item that the command can take now',
  }),
  refusal: Type.Literal(true, {
    description: 'A rule of the orders of this server refuses the request, for the reason in `detail`',
  }),
  oldest_cursor: Type.String({ ...CURSOR, description: 'Cursor before the oldest event' }),
  required_scope: Type.String({
    ...openEnum(SCOPES),
    pattern: '^[a-z]+:[a-z]+$',
    maxLength: 64,
    description: 'Scope that the credentials lack',
  }),
}));

/** Returns the schema of each problem by its status and code. Generated clients narrow a problem by both, which are fixed. */
export const problemSchemas = perDefinition((definition): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(problemsOf(definition)).flatMap(([code, problem]) =>
      statusesOf(problem).map((status) => [`${status} ${code}`, schemaOf(code, problem, status, definition)]),
    ),
  ),
);

function schemaOf(
  code: string,
  { title, status: usual }: ProblemSummary,
  status: number,
  definition: OrderDefinition,
): unknown {
  const { detail, errors, extra } = exampleOf(code, definition);
  const members = Object.entries({ ...(errors && { errors }), ...extra });
  return {
    title: `${componentName(code)}${status === usual ? '' : 'OfChange'}Problem`,
    description: title,
    allOf: [
      problemMembers(definition),
      {
        type: 'object',
        properties: {
          status: { type: 'integer', const: status },
          code: { type: 'string', const: code },
          detail: withExample(Detail, detail),
          ...Object.fromEntries(
            members.map(([name, example]) => [name, withExample(schemaOfMember(name, definition), example)]),
          ),
        },
        required: ['status', 'code', 'detail', ...members.map(([name]) => name)],
      },
    ],
  };
}

function schemaOfMember(name: string, definition: OrderDefinition): TSchema {
  const { [name]: schema } = memberSchemas(definition);
  if (!schema) throw new Error(`the member ${name} of a problem has no schema`);
  return schema;
}

/** Returns a schema with an example. A schema with a title keeps its name in the document. */
function withExample(schema: TSchema, example: unknown): unknown {
  return 'title' in schema && schema.title !== undefined
    ? { $ref: schema, examples: [example] }
    : { ...schema, examples: [example] };
}
