import type { FastifyInstance, HTTPMethods } from 'fastify';
import { aNewOrder } from './new-orders.ts';
import { textAt } from './json.ts';
import { type Answer, expectAsDocumented, type Judge } from './openapi-judge.ts';

export type { Answer } from './openapi-judge.ts';

export type Headers = Readonly<Record<string, string | string[]>>;

interface Sent {
  readonly method: HTTPMethods;
  readonly url: string;
  readonly headers?: Headers;
  readonly payload?: string | Buffer;
}

/** An order as its client knows it. */
interface Placed {
  readonly id: string;
  readonly url: string;
  readonly answer: Answer;
}

/** Somebody who uses the API with one key, or without any. */
export interface Client {
  send(request: Sent): Promise<Answer>;
  get(url: string, headers?: Headers): Promise<Answer>;
  head(url: string, headers?: Headers): Promise<Answer>;
  /** Without `json` nothing is sent as the body. */
  post(url: string, json?: unknown, headers?: Headers): Promise<Answer>;
  patch(url: string, json: unknown, headers?: Headers): Promise<Answer>;
  delete(url: string, headers?: Headers): Promise<Answer>;
  /** Places a valid order; a test that needs this to go wrong uses `post`. */
  place(order?: Readonly<Record<string, unknown>>, headers?: Headers): Promise<Placed>;
}

/** A client that takes no answer but those that the document tells it to expect. */
export function aClient(app: FastifyInstance, key: string | undefined, judge: Judge): Client {
  const credentials: Headers = key === undefined ? {} : { 'x-api-key': key };

  const send = async ({ method, url, headers = {}, payload }: Sent): Promise<Answer> => {
    const sent = { method, url, headers: { ...credentials, ...headers }, ...(payload !== undefined && { payload }) };
    const { statusCode, headers: received, payload: text } = await app.inject(sent);
    const pairs = Object.entries(received).map(([name, value]): [string, string] => [name, String(value)]);
    const answer = toAnswer(statusCode, Object.fromEntries(pairs), text);
    expectAsDocumented(judge, { method, url, payload }, answer);
    return answer;
  };

  const sendJson = (method: HTTPMethods, url: string, json: unknown, headers: Headers = {}): Promise<Answer> =>
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
      const answer = await sendJson('POST', '/v1/orders', aNewOrder(order), headers);
      if (answer.status !== 201) throw new Error(`the order was refused: ${answer.text}`);
      const id = textAt(answer.body, 'id');
      return { id, url: `/v1/orders/${id}`, answer };
    },
  };
}

export function toAnswer(status: number, headers: Readonly<Record<string, string>>, text: string): Answer {
  const body: unknown = text === '' ? undefined : JSON.parse(text);
  return { status, headers, text, body };
}

/** An answer without the only thing in it that follows the real time. */
export function undated({ headers, ...answer }: Answer): Answer {
  return { ...answer, headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'date')) };
}
