import type { TSchema } from 'typebox';
import { VERSION } from '../conventions/versioning.ts';
import type { Route } from '../routes.ts';
import { Uuid } from '../schemas.ts';

/** The headers of requests that are understood, as components of the document. */
export const PARAMETERS = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'Makes the request happen once, however often it is sent. Bare or as a quoted string; kept for a day',
    schema: { type: 'string', minLength: 1, maxLength: 512, pattern: '^[\\x21-\\x7e]+$' },
    example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
  },
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    description: 'Entity tags: unless the resource has one of them nothing happens (RFC 9110 section 13.1.1)',
    schema: { type: 'string', minLength: 1 },
    example: '"3-1"',
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description: 'Entity tags: if the resource has one of them nothing is sent or happens (RFC 9110 section 13.1.2)',
    schema: { type: 'string', minLength: 1 },
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
    description: 'A name for this request, for the logs on both sides',
    schema: { type: 'string', minLength: 1, maxLength: 128, pattern: '^[A-Za-z0-9._-]+$' },
  },
} as const;

/** The parameters of a route: path, query, headers. */
export function parametersOf({ path, query = {}, honours }: Route): readonly unknown[] {
  const ids = path.includes(':id')
    ? [{ name: 'id', in: 'path', required: true, description: 'The id of the resource', schema: Uuid }]
    : [];
  const headers = [...honours, 'API-Version', 'X-Request-Id'] as const;
  return [
    ...ids,
    ...Object.entries(query).map(queryParameter),
    ...headers.map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ];
}

function queryParameter([name, schema]: readonly [string, TSchema]): unknown {
  const { description, ...rest } = { description: undefined, ...schema };
  const list = 'items' in schema ? { style: 'form', explode: false } : {};
  return { name, in: 'query', description, ...list, schema: rest };
}
