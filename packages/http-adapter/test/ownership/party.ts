import { type ProbeResponse, type Send, type ProbeRequest, isDone } from './exchange.ts';
import { writtenRequest } from '../hostile/fuzz-requests.ts';
import type { Operation } from '../hostile/operations.ts';

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
  /** Values of parameters by name. Default in the path: the minimum of an integer, and the id of the resource. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  readonly body?: { readonly type: string; readonly text: string } | undefined;
}

/** Returns the request of an operation. */
export function requestOf(operation: Operation, { server, id = '', parameters = {}, body }: Filled): ProbeRequest {
  const inPath: readonly (readonly [string, string])[] = operation.parameters
    .filter(({ place }) => place === 'path')
    .map(({ name, schema }) => [name, schema.isUuid ? id : `${schema.minimum}`]);
  const values = { ...Object.fromEntries(inPath), ...parameters };
  const request = { operation, server, parameters: values, repeats: false, surplus: '', accept: undefined };
  const { method, url, headers } = writtenRequest({ ...request, body: undefined });
  return { method, url, headers: { ...headers, ...(body && { 'content-type': body.type }) }, payload: body?.text };
}

/** Encodes a body in the first media type of the document. */
export function inJson({ body }: Operation, value: unknown): Filled['body'] {
  return { type: body?.types[0] ?? '', text: JSON.stringify(value) };
}

/** Returns the error of a rejected preparation. */
export function refused(operation: Operation, owner: string, response: ProbeResponse): Error {
  return new Error(`${operation.id} by ${owner} was rejected with ${response.status}: ${response.body}`);
}
