import { at, behindReferences, listAt, membersOf, methodsOf, parameterPlaces, textAt } from '../fixtures/json.ts';
import { readRequestSchema, type RequestSchema } from './request-schema.ts';

/** Location of a part of a request. */
export type Place = 'path' | 'query' | 'header';

export interface Parameter {
  readonly schema: RequestSchema;
  readonly name: string;
  readonly place: Place;
  readonly required: boolean;
}

export interface Body {
  readonly schema: RequestSchema;
  readonly types: readonly string[];
  readonly required: boolean;
  readonly examples: readonly unknown[];
}

/** An operation of the document: its request parts and the statuses of its responses. */
export interface Operation {
  readonly id: string;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: Body | undefined;
  readonly statuses: readonly string[];
  /** Media types of its success. */
  readonly responseTypes: readonly string[];
}

/** Returns the paths of the servers, without a slash at the end. */
export function serversOf(document: unknown): readonly string[] {
  return listAt(document, 'servers').map((server) => new URL(textAt(server, 'url')).pathname.replace(/\/$/, ''));
}

/** Returns all operations of the document. */
export function operationsOf(document: unknown): readonly Operation[] {
  return membersOf(at(document, 'paths')).flatMap((path) =>
    methodsOf(document, path).map((method) => readOperation(document, path, method)),
  );
}

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE'] as const;

function readOperation(document: unknown, path: string, method: string): Operation {
  const place = ['paths', path, method];
  const operation = at(document, ...place);
  const known = METHODS.find((each) => each === method.toUpperCase());
  if (!known) throw new Error(`the generators do not support the method ${method}`);
  const responses = at(operation, 'responses');
  const success = membersOf(responses).find((status) => status.startsWith('2')) ?? '';
  return {
    id: textAt(operation, 'operationId'),
    method: known,
    path,
    parameters: parameterPlaces(document, path, method).map((each) => readParameter(document, each)),
    body: at(operation, 'requestBody') === undefined ? undefined : readBody(document, [...place, 'requestBody']),
    statuses: membersOf(responses),
    responseTypes: withVersioned(
      membersOf(at(document, ...behindReferences(document, ...place, 'responses', success), 'content')),
    ),
  };
}

const PLACES = ['path', 'query', 'header'] as const;

function readParameter(document: unknown, place: readonly string[]): Parameter {
  const parameter = at(document, ...place);
  const known = PLACES.find((each) => each === at(parameter, 'in'));
  if (!known) throw new Error(`the generators do not support the location of ${place.join(' ')}`);
  return {
    name: textAt(parameter, 'name'),
    place: known,
    required: at(parameter, 'required') === true,
    schema: readRequestSchema(document, at(parameter, 'schema')),
  };
}

/** The media type that is in the text of the document only. */
const VERSIONED_TYPE = 'application/vnd.orders.v1+json';

function withVersioned(types: readonly string[]): readonly string[] {
  return types.length === 0 ? types : [...types, VERSIONED_TYPE];
}

/** Throws unless all media types of a body have the same schema. */
function readBody(document: unknown, place: readonly string[]): Body {
  const body = at(document, ...place);
  const types = membersOf(at(body, 'content'));
  const schemas = new Set(types.map((type) => JSON.stringify(at(body, 'content', type, 'schema'))));
  const [first = ''] = types;
  if (schemas.size !== 1) throw new Error(`the media types of ${place.join(' ')} differ`);
  const examples = [...place, 'content', first, 'examples'];
  return {
    types: withVersioned(types),
    required: at(body, 'required') === true,
    schema: readRequestSchema(document, at(body, 'content', first, 'schema')),
    examples: membersOf(at(document, ...examples)).map((name) =>
      at(document, ...behindReferences(document, ...examples, name), 'value'),
    ),
  };
}
