import { ANSWER_TYPES } from '../conventions/content-negotiation.ts';
import type { Deprecations } from '../conventions/deprecation.ts';
import { canonicalPath } from '../conventions/versioning.ts';
import type { Route } from '../routes.ts';
import { type NamedSchemas, withReferences } from './components.ts';
import { ANSWER_HEADERS, HEADERS, type HeaderName, headerRefs } from './headers.ts';
import { PARAMETERS, parametersOf } from './parameters.ts';
import { problemResponses } from './problem-responses.ts';
import { Problem } from './problem-schema.ts';

/** Where the API is, and what of it will be gone. */
export interface DocumentOptions {
  /** What comes before the version in every path; empty by default. */
  readonly prefix?: string | undefined;
  readonly deprecations?: Deprecations | undefined;
}

const DESCRIPTION = `Place, list, read, change, delete and cancel orders, and keep the customers they are for.

Every error is problem details (RFC 9457) with a \`code\` that is final. Lists are walked by cursor. Writes take an
\`Idempotency-Key\`, so that a retry happens once, and \`If-Match\`, so that no change is lost.`;

/** The API as an OpenAPI 3.1 document, made of the routes that it is served by. */
export function openApiDocument(routes: readonly Route[], options: DocumentOptions = {}) {
  const named: NamedSchemas = new Map();
  const { prefix = '', deprecations = {} } = options;
  const paths = [...Map.groupBy(routes, ({ path }) => path)].map(([path, group]): [string, unknown] => [
    path.replaceAll(/:([a-z_]+)/g, '{$1}'),
    Object.fromEntries(
      group.map((route) => [
        route.method.toLowerCase(),
        withReferences(operationOf(route, route.id in deprecations), named),
      ]),
    ),
  ]);
  withReferences(Problem, named);
  const schemas = [...named].toSorted(([left], [right]) => (left < right ? -1 : 1));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Orders',
      version: '1.0.0',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: `${prefix}${canonicalPath('')}`, description: 'This server' }],
    tags: [
      { name: 'Orders', description: 'Orders and their items' },
      { name: 'Customers', description: 'The buyers whom orders may name' },
    ],
    security: [{ ApiKey: [] }],
    paths: Object.fromEntries(paths),
    components: {
      schemas: Object.fromEntries(schemas),
      parameters: PARAMETERS,
      headers: HEADERS,
      securitySchemes: {
        ApiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'A key that `pnpm orders keys create` made',
        },
      },
    },
  };
}

function operationOf(route: Route, deprecated: boolean): unknown {
  const { id, summary, description, path, scope, body } = route;
  return {
    operationId: id,
    summary,
    description,
    tags: [path.startsWith('/orders') ? 'Orders' : 'Customers'],
    ...(deprecated && { deprecated }),
    security: [{ ApiKey: [scope] }],
    parameters: parametersOf(route),
    ...(body && {
      requestBody: {
        required: body.required,
        content: Object.fromEntries(
          body.types.map((type) => [type, { schema: body.schema, examples: named(body.examples) }]),
        ),
      },
    }),
    responses: { ...successes(route), ...problemResponses(route) },
  };
}

function successes(route: Route): Readonly<Record<string, unknown>> {
  const { status, answers, honours, method } = route;
  const headers = headerRefs([...ANSWER_HEADERS, ...successHeaders(route)]);
  const content = answers && Object.fromEntries(ANSWER_TYPES.map((type) => [type, answers]));
  const success = { description: SUCCESS[status], headers, ...(content && { content }) };
  if (method !== 'GET' || !honours.includes('If-None-Match')) return { [status]: success };
  return { [status]: success, 304: { description: 'You have this version', headers } };
}

const SUCCESS = { 200: 'Done', 201: 'Created', 204: 'Deleted' } as const;

function successHeaders({ status, method, query, answers, honours }: Route): readonly HeaderName[] {
  return [
    ...(answers && !query ? (['ETag'] as const) : []),
    ...(status === 201 ? (['Location'] as const) : []),
    ...(query ? (['Link'] as const) : []),
    ...(method !== 'GET' && honours.includes('Idempotency-Key') ? (['Idempotent-Replayed'] as const) : []),
  ];
}

function named(examples: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));
}
