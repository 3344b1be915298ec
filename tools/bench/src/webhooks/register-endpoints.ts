import { z } from 'zod';
import { WrongResponse } from '../cases/wrong-response.ts';
import type { Receiver } from './receiver.ts';
import type { Behaviour } from './receiver-protocol.ts';

const Created = z.object({ id: z.string(), secret: z.string() });

/** An endpoint to register. */
export interface NewEndpoint {
  /** Default: a new path of the receiver. */
  readonly url?: string;
  /** Default: all. */
  readonly types?: readonly string[];
  /** Default: `accepts`. */
  readonly behaviour?: Behaviour;
  /** Whether the receiver reports its deliveries. Default: `true`. */
  readonly reported?: boolean;
}

/** Sends a request about webhooks, and returns the response as JSON. */
export async function send(
  port: number,
  apiKey: string,
  { method, path, body, status }: { method: string; path: string; body?: object; status: number },
): Promise<unknown> {
  const headers = {
    'x-api-key': apiKey,
    ...(body && { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' }),
  };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
  const text = await response.text();
  if (response.status !== status) throw new WrongResponse(`${method} ${path} returned ${response.status}: ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

/** Registers endpoints of an owner, and gives their secrets to the receiver. Returns their ids. */
export async function registerEndpoints(
  receiver: Receiver,
  port: number,
  apiKey: string,
  endpoints: readonly NewEndpoint[],
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const { url, types, behaviour = 'accepts', reported = true } of endpoints) {
    const target = url === undefined ? receiver.newUrl() : new URL(url);
    const body = { url: target.href, ...(types && { types }) };
    const request = { method: 'POST', path: '/v1/webhook_endpoints', body, status: 201 };
    const { id, secret } = Created.parse(await send(port, apiKey, request));
    await receiver.expect([{ path: target.pathname, secret, behaviour, reported }]);
    ids.push(id);
  }
  return ids;
}

/** Deletes endpoints of an owner. */
export async function deleteEndpoints(port: number, apiKey: string, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    await send(port, apiKey, { method: 'DELETE', path: `/v1/webhook_endpoints/${id}`, status: 204 });
  }
}
