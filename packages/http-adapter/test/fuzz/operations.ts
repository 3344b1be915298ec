import { at, behindReferences, listAt, membersOf, textAt } from '../json.ts';
import { readRequestSchema, type RequestSchema } from './request-schema.ts';

/** Where a part of a request goes. */
export type Place = 'path' | 'query' | 'header';

/** A part of a request, as the document has it. */
interface Part {
  readonly schema: RequestSchema;
  /** Where its schema is in the document. */
  readonly at: readonly string[];
}

export interface Parameter extends Part {
  readonly name: string;
  readonly place: Place;
  readonly required: boolean;
}

export interface Body extends Part {
  readonly types: readonly string[];
  readonly required: boolean;
  readonly examples: readonly unknown[];
}

/** An operation as the document has it: what may be sent, and with which statuses it is answered. */
export interface Operation {
  readonly id: string;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: Body | undefined;
  readonly statuses: readonly string[];
  /** What a success may be asked for as. */
  readonly responseTypes: readonly string[];
}

/** Every operation of the document. */
export function operationsOf(document: unknown): readonly Operation[] {
  return membersOf(at(document, 'paths')).flatMap((path) =>
    membersOf(at(document, 'paths', path)).map((method) => readOperation(document, path, method)),
  );
}

const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'] as const;

function readOperation(document: unknown, path: string, method: string): Operation {
  const place = ['paths', path, method];
  const operation = at(document, ...place);
  const known = METHODS.find((each) => each === method.toUpperCase());
  if (!known) throw new Error(`the generators do not know the method ${method}`);
  const responses = at(operation, 'responses');
  const success = membersOf(responses).find((status) => status.startsWith('2')) ?? '';
  return {
    id: textAt(operation, 'operationId'),
    method: known,
    path,
    parameters: listAt(operation, 'parameters').map((_, index) =>
      readParameter(document, behindReferences(document, ...place, 'parameters', `${index}`)),
    ),
    body: at(operation, 'requestBody') === undefined ? undefined : readBody(document, [...place, 'requestBody']),
    statuses: membersOf(responses),
    responseTypes: membersOf(at(document, ...behindReferences(document, ...place, 'responses', success), 'content')),
  };
}

const PLACES = ['path', 'query', 'header'] as const;

function readParameter(document: unknown, place: readonly string[]): Parameter {
  const parameter = at(document, ...place);
  const known = PLACES.find((each) => each === at(parameter, 'in'));
  if (!known) throw new Error(`the generators do not know where ${place.join(' ')} goes`);
  return {
    name: textAt(parameter, 'name'),
    place: known,
    required: at(parameter, 'required') === true,
    schema: readRequestSchema(document, at(parameter, 'schema')),
    at: [...place, 'schema'],
  };
}

/** Every media type of a body has the same schema, or this fails. */
function readBody(document: unknown, place: readonly string[]): Body {
  const body = at(document, ...place);
  const types = membersOf(at(body, 'content'));
  const schemas = new Set(types.map((type) => JSON.stringify(at(body, 'content', type, 'schema'))));
  const [first = ''] = types;
  if (schemas.size !== 1) throw new Error(`the media types of ${place.join(' ')} differ`);
  const examples = [...place, 'content', first, 'examples'];
  return {
    types,
    required: at(body, 'required') === true,
    schema: readRequestSchema(document, at(body, 'content', first, 'schema')),
    at: [...place, 'content', first, 'schema'],
    examples: membersOf(at(document, ...examples)).map((name) =>
      at(document, ...behindReferences(document, ...examples, name), 'value'),
    ),
  };
}
