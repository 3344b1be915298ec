import { isDeepStrictEqual } from 'node:util';
import type { CaseRequest } from './cases.ts';

/** The parts of a response that all subjects must agree on. */
export interface ComparedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | null>>;
  /** Parsed JSON. `null` for an empty body. */
  readonly body: unknown;
}

const HEADERS = ['etag', 'location', 'idempotent-replayed'];

/** Sends a request to the server on `port` and returns the compared parts of its response. */
export async function fetchResponse(port: number, apiKey: string, request: CaseRequest): Promise<ComparedResponse> {
  const { method, path, headers } = request;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { 'x-api-key': apiKey, ...headers },
    ...(request.body !== undefined && { body: request.body }),
  });
  const text = await response.text();
  const body: unknown = text === '' ? null : JSON.parse(text);
  const mediaType = response.headers.get('content-type')?.split(';')[0] ?? null;
  return {
    status: response.status,
    headers: {
      ...Object.fromEntries(HEADERS.map((name) => [name, response.headers.get(name)])),
      ...(text !== '' && { 'content-type': mediaType }),
    },
    body,
  };
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Members whose text differs between servers: messages, request ids, URLs and cursors. */
const SERVER_SPECIFIC = new Set(['detail', 'message', 'instance', 'request_id', 'type', 'next_cursor']);

/** Returns the response with ids, times and server-specific texts replaced by placeholders. */
export function blanked(response: ComparedResponse): unknown {
  const blank = (name: string, value: unknown) => {
    if (typeof value !== 'string') return value;
    if (SERVER_SPECIFIC.has(name)) return 'a text';
    return TIME.test(value) ? 'a time' : value.replaceAll(UUID, 'an id');
  };
  const plain: unknown = JSON.parse(JSON.stringify(response, blank));
  return plain;
}

/** Describes the first difference of two values. `undefined` if they are equal. */
export function difference(wanted: unknown, found: unknown, path = ''): string | undefined {
  if (isDeepStrictEqual(wanted, found)) return undefined;
  if (isObject(wanted) && isObject(found)) {
    const names = new Set([...Object.keys(wanted), ...Object.keys(found)]);
    for (const name of names) {
      const inside = difference(wanted[name], found[name], `${path}.${name}`);
      if (inside !== undefined) return inside;
    }
  }
  return `${path} is ${JSON.stringify(found)} and not ${JSON.stringify(wanted)}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
