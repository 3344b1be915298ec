import { RESPONSE_TYPES } from '../request/accept.ts';
import type { Operation } from '../api/operations.ts';
import { ANSWER_HEADERS, DEPRECATION_HEADERS, type HeaderName, headerRefs, RATE_LIMIT_HEADERS } from './headers.ts';
import type { OperationContext } from './operation-context.ts';
import { parametersOf } from './parameters.ts';
import { problemResponses, type Responses } from './problem-responses.ts';

/** What the document says of a route, by method: HEAD is wherever GET is. */
export function operationsOf(route: Operation, context: OperationContext): readonly (readonly [string, unknown])[] {
  const get = operationOf(route, context);
  if (route.method !== 'GET') return [[route.method.toLowerCase(), get]];
  const responses = Object.entries(get.responses).map(([status, response]): [string, unknown] => {
    const { content: _, ...bodiless } = response;
    return [status, bodiless];
  });
  const head = {
    ...get,
    operationId: `${route.id}_head`,
    summary: `${route.summary}: the headers alone`,
    description: 'Answers as GET does, without the body.',
    responses: Object.fromEntries(responses),
  };
  return [
    ['get', get],
    ['head', head],
  ];
}

function operationOf(route: Operation, context: OperationContext) {
  const { id, summary, description, path, scope, body } = route;
  const { deprecated, authentication } = context;
  const responses: Responses = { ...successes(route, deprecated), ...problemResponses(route, context) };
  return {
    operationId: id,
    summary,
    description,
    tags: [path.startsWith('/orders') ? 'Orders' : 'Customers'],
    ...(deprecated && { deprecated }),
    security: Object.keys(authentication.securitySchemes).map((name) => ({ [name]: [scope] })),
    parameters: parametersOf(route),
    ...(body && {
      requestBody: {
        required: body.required,
        content: Object.fromEntries(
          body.types.map((type) => [type, { schema: body.schema, examples: named(body.examples) }]),
        ),
      },
    }),
    responses,
  };
}

function successes(route: Operation, deprecated: boolean): Responses {
  const { status, response, honours, method } = route;
  const names = [...successHeaders(route), ...(deprecated ? DEPRECATION_HEADERS : [])];
  const headers = headerRefs([...ANSWER_HEADERS, ...RATE_LIMIT_HEADERS, ...names]);
  const content = response && Object.fromEntries(RESPONSE_TYPES.map((type) => [type, response]));
  const success = { description: SUCCESS[status], headers, ...(content && { content }) };
  if (method !== 'GET' || !honours.includes('If-None-Match')) return { [status]: success };
  return { [status]: success, 304: { description: 'You have this version', headers } };
}

const SUCCESS = { 200: 'Done', 201: 'Created', 204: 'Deleted' } as const;

function successHeaders({ status, method, query, response, honours }: Operation): readonly HeaderName[] {
  return [
    ...(response && !query ? (['ETag'] as const) : []),
    ...(status === 201 ? (['Location'] as const) : []),
    ...(query ? (['Link'] as const) : []),
    ...(method !== 'GET' && honours.includes('Idempotency-Key') ? (['Idempotent-Replayed'] as const) : []),
  ];
}

function named(examples: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));
}
