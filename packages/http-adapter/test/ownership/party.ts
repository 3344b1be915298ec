import { type ProbeResponse, type Send, type ProbeRequest, isDone } from './exchange.ts';
import type { Operation } from '../hostile/operations.ts';
import { pathParametersOf } from './families.ts';

/** An owner with credentials for all scopes. */
export interface Party {
  readonly owner: string;
  /** Sends a request with these credentials. */
  readonly send: Send;
  /** Returns a unique text. */
  readonly text: () => string;
  /** Secrets of the owner: its texts, and every id and signing secret that it received. */
  readonly secrets: ReadonlySet<string>;
}

/** Secrets that sign webhooks. */
const SIGNING_SECRETS = /whsec_[A-Za-z0-9+/]+/g;
const UUIDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

export function aParty(owner: string, clientOf: Send, credentials: Readonly<Record<string, string>>): Party {
  const secrets = new Set<string>();
  let texts = 0;
  return {
    owner,
    secrets,
    text: () => {
      texts += 1;
      const text = `${owner}-${`${texts}`.padStart(6, '0')}`;
      secrets.add(text);
      return text;
    },
    send: async (request) => {
      const response = await clientOf({ ...request, headers: { ...credentials, ...request.headers } });
      if (!isDone(response)) return response;
      for (const [secret] of [...response.body.matchAll(UUIDS), ...response.body.matchAll(SIGNING_SECRETS)])
        secrets.add(secret);
      return response;
    },
  };
}

/** Values of a request. */
export interface Filled {
  readonly server: string;
  /** Value of the id of the resource in the path. */
  readonly id?: string | undefined;
  /** Values of what follows in the path by name. Default: the minimum of an integer, and the id of the resource. */
  readonly rest?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: { readonly type: string; readonly text: string } | undefined;
}

/** Returns the request of an operation. */
export function requestOf(
  operation: Operation,
  { server, id = '', rest = {}, query = {}, headers = {}, body }: Filled,
): ProbeRequest {
  const { method, path } = operation;
  const target = pathParametersOf(operation)
    .reduce((whole, { name, schema }) => {
      return whole.replace(`{${name}}`, rest[name] ?? (schema.isUuid ? id : `${schema.minimum}`));
    }, path)
    .replace(/\{[^{}]+\}/, id);
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return {
    method,
    url: `${server}${target}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`,
    headers: { ...headers, ...(body && { 'content-type': body.type }) },
    payload: body?.text,
  };
}

/** Encodes a body in the first media type of the document. */
export function inJson({ body }: Operation, value: unknown): Filled['body'] {
  return { type: body?.types[0] ?? '', text: JSON.stringify(value) };
}

/** Returns the error of a rejected preparation. */
export function refused(operation: Operation, owner: string, response: ProbeResponse): Error {
  return new Error(`${operation.id} by ${owner} was rejected with ${response.status}: ${response.body}`);
}
