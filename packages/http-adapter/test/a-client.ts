import type { FastifyInstance, HTTPMethods } from 'fastify';
import { aNewOrder } from './new-orders.ts';
import { textAt } from './json.ts';
import { type ApiResponse, expectAsDocumented, type ResponseCheck } from './openapi-conformance.ts';

export type { ApiResponse } from './openapi-conformance.ts';

export type Headers = Readonly<Record<string, string | string[]>>;

interface Sent {
  readonly method: HTTPMethods;
  readonly url: string;
  readonly headers?: Headers;
  readonly payload?: string | Buffer;
}

/** An order that the client has placed. */
interface Placed {
  readonly id: string;
  readonly url: string;
  readonly response: ApiResponse;
}

/** A client of the API, with one API key or without credentials. */
export interface Client {
  send(request: Sent): Promise<ApiResponse>;
  get(url: string, headers?: Headers): Promise<ApiResponse>;
  head(url: string, headers?: Headers): Promise<ApiResponse>;
  /** Sends `json` as the body; without it, the request has no body. */
  post(url: string, json?: unknown, headers?: Headers): Promise<ApiResponse>;
  patch(url: string, json: unknown, headers?: Headers): Promise<ApiResponse>;
  delete(url: string, headers?: Headers): Promise<ApiResponse>;
  /** Places a valid order. Throws if the response is not 201; tests of errors use `post`. */
  place(order?: Readonly<Record<string, unknown>>, headers?: Headers): Promise<Placed>;
}

/** Creates a client that throws for responses that differ from the OpenAPI document. */
export function aClient(app: FastifyInstance, key: string | undefined, check: ResponseCheck): Client {
  const credentials: Headers = key === undefined ? {} : { 'x-api-key': key };

  const send = async ({ method, url, headers = {}, payload }: Sent): Promise<ApiResponse> => {
    const sent = { method, url, headers: { ...credentials, ...headers }, ...(payload !== undefined && { payload }) };
    const { statusCode, headers: received, payload: text } = await app.inject(sent);
    const pairs = Object.entries(received).map(([name, value]): [string, string] => [name, String(value)]);
    const response = toApiResponse(statusCode, Object.fromEntries(pairs), text);
    expectAsDocumented(check, { method, url, payload }, response);
    return response;
  };

  const sendJson = (method: HTTPMethods, url: string, json: unknown, headers: Headers = {}): Promise<ApiResponse> =>
    json === undefined
      ? send({ method, url, headers })
      : send({
          method,
          url,
          headers: { 'content-type': 'application/json', ...headers },
          payload: JSON.stringify(json),
        });

  return {
    send,
    get: (url, headers = {}) => send({ method: 'GET', url, headers }),
    head: (url, headers = {}) => send({ method: 'HEAD', url, headers }),
    post: (url, json, headers) => sendJson('POST', url, json, headers),
    patch: (url, json, headers) => sendJson('PATCH', url, json, headers),
    delete: (url, headers = {}) => send({ method: 'DELETE', url, headers }),
    place: async (order = {}, headers = {}) => {
      const response = await sendJson('POST', '/v1/orders', aNewOrder(order), headers);
      if (response.status !== 201) throw new Error(`the order was rejected: ${response.text}`);
      const id = textAt(response.body, 'id');
      return { id, url: `/v1/orders/${id}`, response };
    },
  };
}

export function toApiResponse(status: number, headers: Readonly<Record<string, string>>, text: string): ApiResponse {
  const body: unknown = text === '' ? undefined : JSON.parse(text);
  return { status, headers, text, body };
}

/** Returns the response without its `Date` header, the only part that depends on the real time. */
export function undated({ headers, ...response }: ApiResponse): ApiResponse {
  return { ...response, headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'date')) };
}
