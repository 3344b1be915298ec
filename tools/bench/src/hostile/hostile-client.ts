import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, openConnection, type RawResponse } from '../load/connection.ts';
import type { Request } from './hostile-requests.ts';

/** Sends requests to a server, one after the other. */
export interface HostileClient {
  /** Returns the response; `undefined` without one. */
  send(request: Request, apiKey: string): Promise<RawResponse | undefined>;
  close(): void;
}

/** The time in which a response must arrive, in milliseconds. */
const RESPONSE_MS = 120_000;

/** Returns a client that opens a connection again after the server has closed it. */
export function hostileClient(port: number): HostileClient {
  let connection: Connection | undefined;
  const exchange = async (text: string): Promise<RawResponse> => {
    if (!connection || connection.isClosed()) connection = await openConnection(port);
    const response = await Promise.race([connection.exchange(text), sleep(RESPONSE_MS, undefined, { ref: false })]);
    if (!response) throw new Error('no response in time');
    if (/\r\nconnection: close/i.test(response.head)) connection.close();
    return response;
  };
  return {
    send: async (request, apiKey) => {
      const text = written(request, port, apiKey);
      try {
        // A server that rejects a body before it has read it closes the connection, so that the response may be lost.
        return await exchange(text).catch(() => exchange(text));
      } catch {
        connection?.close();
        return undefined;
      }
    },
    close: () => connection?.close(),
  };
}

function written({ route, path, headers, body }: Request, port: number, apiKey: string): string {
  const all = {
    host: `127.0.0.1:${port}`,
    accept: 'text/html, */*;q=0.9',
    ...(headers['authorization'] === undefined && { 'x-api-key': apiKey }),
    ...headers,
  };
  const fields = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = body === undefined ? '' : `content-length: ${body.length}\r\n`;
  return `${route.method} ${path} HTTP/1.1\r\n${fields.join('')}${length}\r\n${body ?? ''}`;
}

/** How often a request is sent again that the server was too busy for, and the time before it, in milliseconds. */
const RETRIES_MAX = 20;
const RETRY_MS = 200;

/** Repeats a request while its response is 503: a busy machine may cause some, but not all. */
export async function whileUnavailable<T extends { readonly status: number } | undefined>(
  attempt: () => Promise<T>,
): Promise<T> {
  for (let retries = 0; retries < RETRIES_MAX; retries += 1) {
    const result = await attempt();
    if (result?.status !== 503) return result;
    await sleep(RETRY_MS);
  }
  return attempt();
}
