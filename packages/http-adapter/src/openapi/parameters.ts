import type { TSchema } from 'typebox';
import { VERSION } from '../request/api-version.ts';
import type { Operation } from '../api/operation.ts';
import { PAGE_QUERY, SORT_QUERY, Uuid } from '../api/schemas.ts';
import { componentName } from './components.ts';
import type { OperationContext } from './operation-context.ts';

const TAG = '(W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"';
/**
 * The longest value that can be sent in one header, in bytes: Node.js rejects a head of more than 16 KiB, and the
 * request line, `Host` and an API key take some 200 bytes of it.
 */
const HEADER_LENGTH_MAX = 16_000;
const HEAD_LIMIT = 'The request line and all headers together are at most 16 KiB';
const ENTITY_TAGS = {
  type: 'string',
  minLength: 1,
  maxLength: HEADER_LENGTH_MAX,
  // A list may have empty elements (RFC 9110 section 5.6.1).
  pattern: `^(\\*|(,[ \\t]*)*${TAG}([ \\t]*,([ \\t]*${TAG})?)*)$`,
};
const BARE_KEY = '[\\x21\\x23-\\x7e][\\x21-\\x7e]{0,254}';
const QUOTED_KEY = '"([\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\["\\\\]){1,255}"';

/** The headers of requests that are understood. */
const PARAMETERS = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description: `Makes the request happen once, however often it is sent. Up to 255 visible ASCII characters, bare or as a
quoted string, which are the same key. Kept for a day unless configured otherwise`,
    schema: { type: 'string', minLength: 1, maxLength: 512, pattern: `^(${BARE_KEY}|${QUOTED_KEY})$` },
    example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
  },
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    description: `\`*\`, or entity tags: unless the resource has one of them nothing happens (RFC 9110 section 13.1.1). A weak tag matches nothing. ${HEAD_LIMIT}`,
    schema: ENTITY_TAGS,
    example: '"3-1"',
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description: `\`*\`, or entity tags: if the resource has one of them nothing is sent or happens (RFC 9110 section 13.1.2). ${HEAD_LIMIT}`,
    schema: ENTITY_TAGS,
    example: '"3-1"',
  },
  'API-Version': {
    name: 'API-Version',
    in: 'header',
    description: 'The version that is asked for; not another one than the path or Accept names',
    schema: { type: 'string', enum: [VERSION] },
  },
  'X-Request-Id': {
    name: 'X-Request-Id',
    in: 'header',
    description: `A name for this request, for the logs on both sides: 1 to 128 letters, digits, dots, underscores and
hyphens. Another one is left aside, and the request gets a new name`,
    // No value is refused, so none is forbidden.
    schema: { type: 'string', maxLength: HEADER_LENGTH_MAX },
  },
};

/** The parameters of a route: path, query, headers. */
export function parametersOf({ path, query = {}, honours }: Operation, { components }: OperationContext) {
  const resource = path.startsWith('/orders') ? 'Order' : 'Customer';
  const headers = [...honours, 'API-Version', 'X-Request-Id'] as const;
  const id = {
    name: 'id',
    in: 'path',
    required: true,
    description: `The id of the ${resource.toLowerCase()}`,
    schema: Uuid,
  };
  return [
    ...(path.includes(':id') ? [components.refer('parameters', `${resource}Id`, id)] : []),
    ...Object.entries(query).map(([name, schema]) => {
      const common = name in PAGE_QUERY || name in SORT_QUERY;
      const component = common ? componentName(name) : `${resource}${componentName(name)}Filter`;
      return components.refer('parameters', component, queryParameter(name, schema));
    }),
    ...headers.map((name) => components.refer('parameters', componentName(name), PARAMETERS[name])),
  ];
}

function queryParameter(name: string, schema: TSchema) {
  const { description, ...rest } = { description: undefined, ...schema };
  const list = 'items' in schema ? { style: 'form', explode: false } : {};
  return { name, in: 'query', description, ...list, schema: rest };
}
