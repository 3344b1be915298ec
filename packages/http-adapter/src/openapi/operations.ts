import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../request/request-parameters.ts';
import { isVersionedType, RESPONSE_TYPES } from '../request/media-types.ts';
import { EXTERNAL_USER_ID_HEADER } from '../request/request-faults.ts';
import type { Operation } from '../api/operation.ts';
import { DEPRECATION_HEADERS, type HeaderName, headerRefs, RATE_LIMIT_HEADERS } from './headers.ts';
import type { OperationContext } from './components.ts';
import { parametersOf } from './parameters.ts';
import { type DocumentedResponse, problemResponses } from './problem-responses.ts';
import { resourceOf } from './resources.ts';

/** An operation of the document. */
interface DescribedOperation {
  readonly parameters: readonly unknown[];
  readonly [member: string]: unknown;
}

/** Returns the operations of a path, by method. The path has the parameters that all of them share. */
export function pathItem(
  operations: readonly (readonly [string, DescribedOperation])[],
): Readonly<Record<string, unknown>> {
  const [first, ...others] = operations.map(([, { parameters }]) => parameters);
  if (!first || others.length === 0) return Object.fromEntries(operations);
  const has = (parameters: readonly unknown[], parameter: unknown) =>
    parameters.some((each) => isDeepStrictEqual(each, parameter));
  const shared = first.filter((parameter) => others.every((parameters) => has(parameters, parameter)));
  const own = operations.map(([method, operation]) => {
    const { parameters, ...members } = operation;
    const rest = parameters.filter((parameter) => !has(shared, parameter));
    // Also an empty list: the Swagger UI finds no operation that leaves its parameters out beside those of a path.
    return [method, { ...members, parameters: rest }] as const;
  });
  return { parameters: shared, ...Object.fromEntries(own) };
}

/**
 * Describes the operation of a route, with its method. HEAD is in no document, although it works wherever GET does: clients
 * generated from it would have a function for each that returns nothing.
 */
export function describedOperation(
  route: Operation,
  context: OperationContext,
): readonly [method: string, operation: DescribedOperation] {
  const responses = [...successes(route, context), ...problemResponses(route, context)];
  return [route.method.toLowerCase(), { ...operationOf(route, context), responses: byStatus(responses, context) }];
}

function operationOf(route: Operation, context: OperationContext) {
  const { id, summary, description, path, scope, body } = route;
  const { deprecated, authentication } = context;
  return {
    operationId: id,
    summary,
    description,
    tags: [resourceOf(path).tag.name],
    ...(deprecated && { deprecated }),
    security: Object.keys(authentication.securitySchemes).map((name) => ({ [name]: [scope] })),
    parameters: parametersOf(route, context),
    ...(body && {
      requestBody: {
        required: body.required,
        content: contentOf(body.types, body),
      },
    }),
  };
}

/** Returns the responses by status. Those with a name become references to components. */
function byStatus(responses: readonly DocumentedResponse[], { components, deprecated }: OperationContext): unknown {
  return Object.fromEntries(
    responses.map(({ status, name, response }) => [
      status,
      // A component of its own, because the responses of a deprecated operation have additional headers.
      name === undefined ? response : components.refer('responses', deprecated ? `${name}Deprecated` : name, response),
    ]),
  );
}

function successes(route: Operation, { components, deprecated }: OperationContext): readonly DocumentedResponse[] {
  const { status = 200, response, supports = [], method } = route;
  const names = [...successHeaders(route), ...(deprecated ? DEPRECATION_HEADERS : [])];
  const headers = headerRefs(components, [...RATE_LIMIT_HEADERS, ...names]);
  const content = response && contentOf(RESPONSE_TYPES, response);
  const success: DocumentedResponse = {
    status,
    // Inline with a body, because its example belongs to this operation only.
    name: content ? undefined : status === 204 && supports.length === 0 ? 'NoContent' : SUCCESS[status],
    response: { description: SUCCESS[status], headers, ...(content && { content }) },
  };
  if (method !== 'GET' || !supports.includes('If-None-Match')) return [success];
  const description = 'Not modified: `If-None-Match` has the current entity tag';
  return [success, { status: 304, name: 'NotModified', response: { description, headers } }];
}

const SUCCESS = { 200: 'OK', 201: 'Created', 202: 'Accepted', 204: 'Deleted', 207: 'MultiStatus' } as const;

/**
 * Whether the response is the current version of a resource. Then the request supports keys or preconditions. Work that is
 * accepted has no versions.
 */
function hasEntityTag({ query, response, status, supports = [] }: Operation): boolean {
  const hasKeyOrCondition = supports.some((name) => name !== EXTERNAL_USER_ID_HEADER);
  const isVersioned =
    isRecord(response?.schema) && isRecord(response.schema['properties']) && 'version' in response.schema['properties'];
  return isVersioned && !query && hasKeyOrCondition && status !== 202;
}

function successHeaders(route: Operation): readonly HeaderName[] {
  const { status, method, query, supports = [] } = route;
  return [
    ...(hasEntityTag(route) ? (['ETag'] as const) : []),
    ...(status === 201 || (status === 202 && supports.length > 0) ? (['Location'] as const) : []),
    ...(query ? (['Link'] as const) : []),
    ...(method !== 'GET' && supports.includes('Idempotency-Key') ? (['Idempotent-Replayed'] as const) : []),
  ];
}

/**
 * Describes a body with the same schema and examples for each media type: tools for people take the one that they prefer. The
 * media type with a version is in the text of the document instead, because some generators make a further type of every body
 * for it.
 */
function contentOf(types: readonly string[], { schema, examples = {} }: NonNullable<Operation['response']>) {
  const named = Object.entries(examples).map(([name, value]) => [name, { value }] as const);
  return Object.fromEntries(
    types
      .filter((type) => !isVersionedType(type))
      .map((type) => [type, { schema, ...(named.length > 0 && { examples: Object.fromEntries(named) }) }]),
  );
}
