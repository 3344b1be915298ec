import { isDeepStrictEqual } from 'node:util';
import { breakingInProblems } from './breaking-problems.ts';
import { breakingInSchema, type Comparison } from './breaking-schemas.ts';
import { headersOf, listOf, type Members, membersOf, missingFrom, resolved } from './json-values.ts';

/** An OpenAPI document before and after a change. */
interface Documents {
  readonly before: unknown;
  readonly after: unknown;
  readonly request: Comparison;
  readonly response: Comparison;
}

/**
 * Returns the changes that could break a client of the previous document.
 *
 * Breaking:
 * - a removed or renamed operation, parameter, body, status, header, media type, member or value;
 * - another type, format, default, operation id or scope;
 * - a new required parameter or member of requests, or a tighter limit on them;
 * - a new value, type or status of successful responses;
 * - a member or header that was in every response and may now be absent.
 *
 * Not breaking:
 * - a new operation, optional parameter, problem, media type, server or way to authenticate;
 * - a new member or header of responses;
 * - a wider limit on requests, and any limit on responses;
 * - a new value in `x-extensible-enum`;
 * - texts and examples.
 */
export function breakingChanges(before: unknown, after: unknown): readonly string[] {
  const documents: Documents = {
    before,
    after,
    request: { before, after, direction: 'request', unbroken: new Set() },
    response: { before, after, direction: 'response', unbroken: new Set() },
  };
  const [old, now] = [membersOf(before), membersOf(after)];
  const [oldSchemes, nowSchemes] = [old, now].map((document) =>
    membersOf(membersOf(document['components'])['securitySchemes']),
  );
  const urls = (document: Members) => listOf(document['servers']).map((server) => membersOf(server)['url']);
  return [
    ...missingFrom(urls(now), urls(old)).map((url) => `the server ${String(url)} is gone`),
    ...Object.entries(oldSchemes ?? {})
      .filter(
        ([name, scheme]) => !isDeepStrictEqual(withoutDescription(scheme), withoutDescription(nowSchemes?.[name])),
      )
      .map(([name]) => `the security scheme ${name} changed`),
    ...operationsOf(old).flatMap(([name, path, method, operation]) => {
      const item = membersOf(membersOf(now['paths'])[path]);
      return method in item ? inOperation(documents, name, operation, operationAt(item, method)) : [`${name} is gone`];
    }),
  ];
}

function operationsOf({ paths }: Members): readonly (readonly [string, string, string, Members])[] {
  return Object.entries(membersOf(paths)).flatMap(([path, item]) =>
    Object.keys(membersOf(item))
      .filter((method) => method !== 'parameters')
      .map((method) => [`${method.toUpperCase()} ${path}`, path, method, operationAt(item, method)] as const),
  );
}

/** Returns an operation of a path, with the parameters that the path has for all of its operations. */
function operationAt(item: unknown, method: string): Members {
  const { parameters: shared, [method]: operation } = membersOf(item);
  const { parameters, ...others } = membersOf(operation);
  return { ...others, parameters: [...listOf(shared), ...listOf(parameters)] };
}

function withoutDescription(value: unknown): Members {
  const { description: _, ...rest } = membersOf(value);
  return rest;
}

function inOperation(documents: Documents, at: string, before: Members, after: Members): string[] {
  return [
    ...(before['operationId'] === after['operationId'] ? [] : [`${at}: the operation id changed`]),
    ...missingFrom(listOf(after['security']), listOf(before['security'])).map(
      (requirement) => `${at}: the security requirement ${JSON.stringify(requirement)} is gone`,
    ),
    ...inParameters(documents, at, before, after),
    ...inRequestBody(documents, at, before['requestBody'], after['requestBody']),
    ...inResponses(documents, at, membersOf(before['responses']), membersOf(after['responses'])),
  ];
}

function inParameters({ before, after, request }: Documents, at: string, old: Members, now: Members): string[] {
  const [were, are] = [parametersOf(before, old), parametersOf(after, now)];
  const added = [...are].filter(([name, { required }]) => !were.has(name) && required === true);
  return [
    ...added.map(([name]) => `${at}: the new parameter ${name} is required`),
    ...[...were].flatMap(([name, was]) => {
      const is = are.get(name);
      if (!is) return [`${at}: the parameter ${name} is gone`];
      const form = ['style', 'explode', 'allowReserved', 'content'].filter(
        (member) => !isDeepStrictEqual(was[member], is[member]),
      );
      return [
        ...(is['required'] === true && was['required'] !== true ? [`${at}: the parameter ${name} is required`] : []),
        ...form.map((member) => `${at}: ${member} of the parameter ${name} changed`),
        ...breakingInSchema(request, sendable(before, was), is['schema'], `${at}: ${name}`),
      ];
    }),
  ];
}

/** The maximum length of a header: the limit of a request's head, minus the parts that every request has. */
const HEADER_LENGTH_MAX = 16_000;

/** Returns the schema of a parameter. Reduces the length of a header to the maximum that any server has accepted. */
function sendable(document: unknown, { in: place, schema }: Members): unknown {
  const { maxLength, ...rest } = resolved(document, schema);
  const unsendable = place === 'header' && typeof maxLength === 'number' && maxLength > HEADER_LENGTH_MAX;
  return unsendable ? { ...rest, maxLength: HEADER_LENGTH_MAX } : schema;
}

/** Returns the parameters by place and name. The names of headers are case-insensitive. */
function parametersOf(document: unknown, { parameters }: Members): ReadonlyMap<string, Members> {
  const all = listOf(parameters).map((parameter) => resolved(document, parameter));
  const nameOf = (place: string, name: string) => (place === 'header' ? name.toLowerCase() : name);
  return new Map(
    all.map((each) => [`${String(each['in'])} ${nameOf(String(each['in']), String(each['name']))}`, each]),
  );
}

function inRequestBody(documents: Documents, at: string, before: unknown, after: unknown): string[] {
  const [was, is] = [resolved(documents.before, before), resolved(documents.after, after)];
  if (before !== undefined && after === undefined) return [`${at}: the body is gone`];
  return [
    ...(is['required'] === true && was['required'] !== true ? [`${at}: the body is required`] : []),
    ...inContent(documents.request, `${at}: the body`, was['content'], is['content']),
  ];
}

function inContent(comparison: Comparison, at: string, before: unknown, after: unknown) {
  const [old, now] = [membersOf(before), membersOf(after)];
  return Object.entries(old).flatMap(([type, was]) => {
    if (!(type in now)) return [`${at}: the media type ${type} is gone`];
    const compare = type === 'application/problem+json' ? breakingInProblems : breakingInSchema;
    return compare(comparison, membersOf(was)['schema'], membersOf(now[type])['schema'], `${at} as ${type}`);
  });
}

function inResponses(documents: Documents, at: string, before: Members, after: Members): string[] {
  const successes = Object.keys(after).filter((status) => !(status in before) && /^[123]/.test(status));
  return [
    // Clients handle a new problem by the class of its status, but would mistake a new success for a known one.
    ...successes.map((status) => `${at}: the success ${status} is new`),
    ...Object.entries(before).flatMap(([status, was]) =>
      status in after
        ? inResponse(
            documents,
            `${at} ${status}`,
            resolved(documents.before, was),
            resolved(documents.after, after[status]),
          )
        : [`${at}: the status ${status} is gone`],
    ),
  ];
}

function inResponse(documents: Documents, at: string, before: Members, after: Members): string[] {
  const [old, now] = [headersOf(documents.before, before), headersOf(documents.after, after)];
  const headers = Object.entries(old).flatMap(([name, header]) => {
    if (!(name in now)) return [`${at}: the header ${name} is gone`];
    const [was, is] = [resolved(documents.before, header), resolved(documents.after, now[name])];
    return [
      ...(was['required'] === true && is['required'] !== true ? [`${at}: the header ${name} may be absent`] : []),
      ...breakingInSchema(documents.response, was['schema'], is['schema'], `${at}: ${name}`),
    ];
  });
  return [...headers, ...inContent(documents.response, at, before['content'], after['content'])];
}
