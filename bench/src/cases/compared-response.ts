import { isDeepStrictEqual } from 'node:util';
import type { CaseRequest } from './case.ts';

/** An answer as far as subjects have to agree on it. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | null>>;
  /** JSON, or `null` when there is none. */
  readonly body: unknown;
}

const HEADERS = ['etag', 'location', 'idempotent-replayed'];

export async function ask(port: number, apiKey: string, request: CaseRequest): Promise<Answer> {
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

/** Words for people, what names the one request, and the server's own address: no two servers have the same. */
const OWN_WORDS = new Set(['detail', 'message', 'instance', 'request_id', 'type', 'next_cursor']);

/** The answer with everything blanked that differs from one order or server to the next, but with its shape. */
export function blanked({ status, headers, body }: Answer): Answer {
  const plain = Object.entries(headers).map(
    ([name, value]) => [name, value && value.replaceAll(UUID, 'an id')] as const,
  );
  return { status, headers: Object.fromEntries(plain), body: blank(body, '') };
}

function blank(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((element) => blank(element, name));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, blank(member, key)]));
  }
  if (typeof value !== 'string') return value;
  if (OWN_WORDS.has(name)) return 'words';
  return TIME.test(value) ? 'a time' : value.replaceAll(UUID, 'an id');
}

/** Where two values differ first, for people; `undefined` when they do not. */
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
