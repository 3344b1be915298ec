import { at, listAt, textAt } from '../fixtures/json.ts';
import type { Operation, Parameter, Place } from './operations.ts';

/** A request in the terms of the document, before its values are encoded. */
export interface FuzzRequest {
  readonly operation: Operation;
  /** Path of the server in the document. */
  readonly server: string;
  /** Values by name; an omitted parameter is `undefined`. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Whether lists in the query are repeated parameters instead of comma-separated. */
  readonly repeats: boolean;
  /** Additional query parameters, already encoded. */
  readonly surplus: string;
  readonly body: { readonly type: string; readonly value: unknown } | undefined;
  /** Value of the Accept header. */
  readonly accept: string | undefined;
}

/** Maximum length of a header value in the document, close to the limit of a request head. */
const HEAD_LIMIT = 16_000;
const HEADER = /^([\x21-\x7e\x80-\xff]([\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?$/;

/** Checks whether `text` can be sent at `place`. */
export function carries(place: Place, text: string): boolean {
  if (place === 'header') return text.length <= HEAD_LIMIT && HEADER.test(text);
  // An empty text or dots would change the path.
  return text.isWellFormed() && !(place === 'path' && /^\.{0,2}$/.test(text));
}

/** Encodes a parameter value as text; a list is comma-separated. */
export function written(value: unknown): string {
  if (Array.isArray(value)) return value.map(written).join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function sent({ operation, parameters }: FuzzRequest, place: Place): readonly (readonly [Parameter, string])[] {
  return operation.parameters
    .filter((parameter) => parameter.place === place && parameters[parameter.name] !== undefined)
    .map((parameter) => [parameter, written(parameters[parameter.name])]);
}

export function urlOf(request: FuzzRequest): string {
  const { operation, server, parameters, repeats, surplus } = request;
  const path = sent(request, 'path').reduce(
    (filled, [{ name }, text]) => filled.replace(`{${name}}`, () => encodeURIComponent(text)),
    operation.path,
  );
  const pairs = sent(request, 'query').flatMap(([{ name }, text]) => {
    const value = parameters[name];
    const texts = repeats && Array.isArray(value) ? value.map(written) : [text];
    return texts.map((each) => `${name}=${encodeURIComponent(each)}`);
  });
  const query = [...pairs, ...(surplus === '' ? [] : [surplus])].join('&');
  return `${server.replace(/\/$/, '')}${path}${query === '' ? '' : `?${query}`}`;
}

/** Returns a request as it is sent. */
export function writtenRequest(request: FuzzRequest) {
  const { operation, body, accept } = request;
  const headers = Object.fromEntries(sent(request, 'header').map(([{ name }, text]) => [name, text]));
  return {
    method: operation.method,
    url: urlOf(request),
    headers: {
      ...headers,
      ...(accept !== undefined && { accept }),
      ...(body && { 'content-type': body.type }),
    },
    ...(body && { payload: JSON.stringify(body.value) }),
  };
}

/** Returns the fields of a problem. */
export function fieldsOf({ body }: { readonly body: unknown }): readonly string[] {
  return at(body, 'errors') === undefined ? [] : listAt(body, 'errors').map((error) => textAt(error, 'field'));
}
