import { ORDERS } from '@orders/domain';
import { componentName } from '../../src/api/schemas.ts';
import type { DocumentOptions } from '../../src/openapi/document.ts';
import { currentDocument } from '../../scripts/current-document.ts';
import { at, behindReferences, membersOf } from '../fixtures/json.ts';
import { serversOf } from '../hostile/operations.ts';
import { closedSchemas, type Schemas } from './schemas.ts';
import { containsSigningSecret, mayContainSigningSecret } from './signing-secrets.ts';

/** A request, as far as needed to find its operation. */
export interface ApiRequest {
  readonly method: string;
  readonly url: string;
  /** The body, if the request had one. */
  readonly payload?: string | Buffer | undefined;
}

/** A response as a client sees it. */
export interface ApiResponse {
  readonly status: number;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The text as JSON; `undefined` if it is empty. */
  readonly body: unknown;
}

/** Returns the differences between a response and the document. The request is undefined if it was not valid HTTP. */
export type ResponseCheck = (request: ApiRequest | undefined, response: ApiResponse) => readonly string[];

/** The media type with a version, in which bodies have the same schemas. */
const VERSIONED_TYPE = 'application/vnd.orders.v1+json';

/** Headers of the connection and of CORS, which do not belong to an operation. */
const NOT_OF_OPERATIONS =
  /^(date|connection|keep-alive|content-length|content-type|transfer-encoding|access-control-[a-z-]+)$/;

const checks = new Map<string, ResponseCheck>();

/** Returns the check against the document of a server with these options. Compiled once. */
export function checkOf(options: Partial<DocumentOptions>): ResponseCheck {
  const { baseUrl, deprecations, authentication } = options;
  const ways = [authentication?.securitySchemes, authentication?.scopeChallenge !== undefined];
  const { lifecycle, initial, cancel, custom } = options.definition ?? ORDERS;
  const key = JSON.stringify([baseUrl?.(), deprecations, ways, lifecycle, initial, cancel, custom?.schema]);
  const check = checks.get(key) ?? checkBy(currentDocument(options));
  checks.set(key, check);
  return check;
}

/** @throws {Error} when a response differs from the document */
export function expectAsDocumented(check: ResponseCheck, request: ApiRequest | undefined, response: ApiResponse): void {
  const faults = check(request, response);
  if (faults.length === 0) return;
  const requestLine = request ? `${request.method} ${request.url}` : 'the request';
  throw new Error(
    `${requestLine} returned ${response.status}, which differs from the document:\n- ${faults.join('\n- ')}`,
  );
}

function checkBy(document: unknown): ResponseCheck {
  const schemas = closedSchemas(document);
  return (request, response) => {
    const path = request && pathOf(request.url);
    const place = request && path !== undefined ? findOperation(document, request.method, path) : undefined;
    if (place) {
      // A batch may contain what is rejected alone.
      const accepted =
        response.status < 300 && response.status !== 207
          ? checkRequest(document, schemas, place, request?.payload)
          : [];
      return [...accepted, ...checkResponse(document, schemas, place, response, request?.method === 'HEAD')];
    }
    if (path !== undefined && !isUnder(serversOf(document)[1], path)) return [];
    if (response.status >= 400) return checkProblem(document, schemas, request?.method === 'HEAD', response);
    const versioned = path !== undefined && isUnder(serversOf(document)[0], path);
    return versioned && request?.method !== 'OPTIONS' ? ['the document has no such operation'] : [];
  };
}

function isUnder(server = '', path: string): boolean {
  return path === server || path.startsWith(`${server}/`);
}

/** Returns the path of a request target, which may be absolute; `undefined` if it is malformed. */
function pathOf(url: string): string | undefined {
  const [, path = ''] = /^(?:https?:\/\/[^/?#]*)?([^?#]*)/i.exec(url) ?? [];
  try {
    return decodeURI(path);
  } catch {
    return undefined; // Bad percent encoding.
  }
}

function findOperation(document: unknown, method: string, path: string): readonly string[] | undefined {
  const templates = membersOf(at(document, 'paths'));
  for (const server of serversOf(document)) {
    const template = templates.find((each) =>
      new RegExp(`^${server}${each.replaceAll(/{.*?}/g, '[^/]+')}$`).test(path),
    );
    // HEAD has the responses of GET, without the body (RFC 9110 section 9.3.2).
    const name = method === 'HEAD' ? 'get' : method.toLowerCase();
    if (template !== undefined && at(document, 'paths', template, name)) return ['paths', template, name];
  }
  return undefined;
}

/** Checks that the document allows a body that the server has accepted. */
function checkRequest(
  document: unknown,
  schemas: Schemas,
  operation: readonly string[],
  payload: string | Buffer = '',
): readonly string[] {
  const place = [...operation, 'requestBody', 'content'];
  const [type] = membersOf(at(document, ...place));
  if (payload.length === 0 || type === undefined) return [];
  const body: unknown = JSON.parse(payload.toString());
  return schemas([...place, type, 'schema'], body).map((fault) => `the accepted body: ${fault}`);
}

function checkResponse(
  document: unknown,
  schemas: Schemas,
  operation: readonly string[],
  response: ApiResponse,
  bodiless: boolean,
) {
  const place = behindReferences(document, ...operation, 'responses', `${response.status}`);
  const specified = at(document, ...place);
  if (specified === undefined) return [`the status ${response.status} is not documented`];
  const documented = [...headersOfEvery(document), ...headersIn(document, [...place, 'headers'])];
  const known = new Set(documented.map((header) => header.at(-1)?.toLowerCase()));
  const unknown = Object.keys(response.headers).filter((name) => !known.has(name) && !NOT_OF_OPERATIONS.test(name));
  return [
    ...unknown.map((name) => `the header ${name} is not documented`),
    ...documented.flatMap((header) => checkHeader(document, schemas, header, response)),
    ...(bodiless ? checkNoBody(response) : checkContent(specified, schemas, place, response)),
    ...checkSecret(document, place, response),
  ];
}

/** Returns the places of the headers of every response. */
function headersOfEvery(document: unknown): readonly (readonly string[])[] {
  return headersIn(document, ['x-response-headers']);
}

function headersIn(document: unknown, place: readonly string[]): readonly (readonly string[])[] {
  return membersOf(at(document, ...place)).map((name) => [...place, name]);
}

function checkHeader(
  document: unknown,
  schemas: Schemas,
  reference: readonly string[],
  { headers }: ApiResponse,
): readonly string[] {
  const name = reference.at(-1) ?? '';
  const value = headers[name.toLowerCase()];
  const place = behindReferences(document, ...reference);
  if (value === undefined) return at(document, ...place, 'required') === true ? [`the header ${name} is missing`] : [];
  const typed = at(document, ...place, 'schema', 'type') === 'integer' ? Number(value) : value;
  return schemas([...place, 'schema'], typed).map((fault) => `the header ${name}: ${fault}`);
}

function checkContent(
  specified: unknown,
  schemas: Schemas,
  place: readonly string[],
  { headers, text, body }: ApiResponse,
) {
  const types = membersOf(at(specified, 'content'));
  if (types.length === 0) return checkNoBody({ text });
  // The text of the document has the media type with a version.
  const type = mediaType(headers).replace(VERSIONED_TYPE, 'application/json');
  if (!types.includes(type)) return [`the media type "${type}" is not documented`];
  return schemas([...place, 'content', type, 'schema'], body).map((fault) => `the body: ${fault}`);
}

function checkNoBody({ text }: Pick<ApiResponse, 'text'>): readonly string[] {
  return text === '' ? [] : ['a body is not documented'];
}

/** Checks that a response has no secret of a webhook endpoint, unless the document describes one. */
function checkSecret(document: unknown, place: readonly string[], { headers, text }: ApiResponse): readonly string[] {
  if (!containsSigningSecret(text + JSON.stringify(headers)) || mayContainSigningSecret(document, place)) return [];
  return ['the response contains a secret that signs webhooks'];
}

/** Checks a problem outside of all operations. It has the headers of every response. */
function checkProblem(
  document: unknown,
  schemas: Schemas,
  bodiless: boolean,
  response: ApiResponse,
): readonly string[] {
  const body = bodiless ? [] : schemas(['components', 'schemas', schemaOfProblem(document, response)], response.body);
  const type = mediaType(response.headers);
  return [
    ...headersOfEvery(document).flatMap((header) => checkHeader(document, schemas, header, response)),
    ...(type === 'application/problem+json' ? [] : [`the media type "${type}" is not that of a problem`]),
    ...body.map((fault) => `the body: ${fault}`),
  ];
}

/** Returns the name of the schema of a problem; that of all problems if no operation has the problem. */
function schemaOfProblem(document: unknown, { body }: ApiResponse): string {
  const name = `${componentName(String(at(body, 'code')))}Problem`;
  return at(document, 'components', 'schemas', name) === undefined ? 'Problem' : name;
}

function mediaType(headers: ApiResponse['headers']): string {
  return (headers['content-type'] ?? '').replace(/;.*/, '').trim().toLowerCase();
}
