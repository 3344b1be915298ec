import type { TSchema } from 'typebox';
import type { Operation } from '../api/operation.ts';
import { EXTERNAL_USER_ID_HEADER } from '../request/request-faults.ts';
import { EXTERNAL_USER_ID_EXAMPLE } from '../api/orders/order-examples.ts';
import { componentName, EXTERNAL_USER_ID, PAGE_QUERY, SORT_QUERY, Uuid, Version } from '../api/schemas.ts';
import type { OperationContext } from './components.ts';
import { resourceOf } from './resources.ts';

const TAG = '(W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"';
/**
 * The maximum length of one header, in bytes. Node.js rejects a head of more than 16 KiB, of which the request line,
 * `Host` and an API key take about 200 bytes.
 */
const HEADER_LENGTH_MAX = 16_000;
const HEAD_LIMIT = 'All headers together have at most 16 KiB';
const ENTITY_TAGS = {
  type: 'string',
  title: 'EntityTags',
  minLength: 1,
  maxLength: HEADER_LENGTH_MAX,
  // A list may have empty elements (RFC 9110 section 5.6.1).
  pattern: `^(\\*|(,[ \\t]*)*${TAG}([ \\t]*,([ \\t]*${TAG})?)*)$`,
};
const BARE_KEY = '[\\x21\\x23-\\x7e][\\x21-\\x7e]{0,254}';
const QUOTED_KEY = '"([\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\["\\\\]){1,255}"';

/** The request headers that some operations support. The text of the document has those of all operations. */
const PARAMETERS = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description: `Makes retries safe: a repeated request with this key gets the recorded response. 1 to 255 visible ASCII
characters, bare or as a quoted string; both forms are the same key. Kept for 24 hours by default`,
    schema: { type: 'string', minLength: 1, maxLength: 512, pattern: `^(${BARE_KEY}|${QUOTED_KEY})$` },
    example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
  },
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    description: `\`*\` or a list of entity tags. Returns 412 unless one of them is current (RFC 9110 section 13.1.1). Tags that a compressing proxy has changed match, too. ${HEAD_LIMIT}`,
    schema: ENTITY_TAGS,
    example: '"3-1"',
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description: `\`*\` or a list of entity tags. If one of them is current, a read returns 304 and a write 412 (RFC 9110 section 13.1.2). ${HEAD_LIMIT}`,
    schema: ENTITY_TAGS,
    example: '"3-1"',
  },
  [EXTERNAL_USER_ID_HEADER]: {
    name: EXTERNAL_USER_ID_HEADER,
    in: 'header',
    description: `Your opaque id of the user for whom you make the change, which is recorded with it as \`external_user_id\`. Printable
ASCII without \`@\`: no email address and no name. An erasure removes it`,
    schema: EXTERNAL_USER_ID,
    example: EXTERNAL_USER_ID_EXAMPLE,
  },
};

/** Tools that import the document send the examples of required parameters. */
const EXAMPLE_ID = '019b2a4e-8f00-7000-8000-000000000001';

const VERSION_NUMBER = {
  name: 'version',
  in: 'path',
  required: true,
  description: 'Number of the version',
  schema: { ...Version, title: undefined, description: undefined },
  example: 1,
};

const FULFILLMENT_ID = {
  name: 'fulfillment_id',
  in: 'path',
  required: true,
  description: 'Id of the fulfillment',
  schema: Uuid,
  example: EXAMPLE_ID,
};

/** Describes the path, query and header parameters of a route. */
export function parametersOf(
  { path, query = {}, requires = [], supports = [] }: Operation,
  { components }: OperationContext,
) {
  const { name: resource, words } = resourceOf(path);
  const id = {
    name: 'id',
    in: 'path',
    required: true,
    description: `Id of the ${words}`,
    schema: Uuid,
    example: EXAMPLE_ID,
  };
  return [
    ...(path.includes(':id') ? [components.refer('parameters', `${resource}Id`, id)] : []),
    ...(path.includes(':version') ? [components.refer('parameters', 'VersionNumber', VERSION_NUMBER)] : []),
    ...(path.includes(':fulfillment_id') ? [components.refer('parameters', 'FulfillmentId', FULFILLMENT_ID)] : []),
    ...Object.entries(query).map(([name, schema]) => {
      const common = name in PAGE_QUERY || name in SORT_QUERY;
      const component = common ? componentName(name) : `${resource}${componentName(name)}Filter`;
      const required = requires.includes(name) ? { required: true, example: exampleOf(schema) } : {};
      return components.refer('parameters', component, { ...queryParameter(name, schema), ...required });
    }),
    ...supports.map((name) => components.refer('parameters', componentName(name), PARAMETERS[name])),
  ];
}

/** Returns the first example of a schema, or of its values. */
function exampleOf({ examples, enum: values }: { examples?: readonly unknown[]; enum?: readonly unknown[] }): unknown {
  return (examples ?? values)?.[0];
}

/** Describes a query parameter. A list is a set, which clients repeat by default, and can separate by commas instead. */
function queryParameter(name: string, schema: TSchema) {
  const { description, ...rest } = { description: '', ...schema };
  if (!('items' in schema)) return { name, in: 'query', description, schema: rest };
  const forms = `${description}. Repeated, or separated by commas`;
  return { name, in: 'query', description: forms, style: 'form', explode: true, schema: rest };
}
