import type { Stage } from '../stage.ts';
import type { Attack } from './attack.ts';
import { type Way, wayOf } from './hostile-play.ts';
import { requestText } from './request-text.ts';

/** The target of the hostile client, and its local address. */
export interface Target {
  readonly stage: Stage;
  readonly url: string;
  readonly localAddress?: string;
}

const HOST = 'Host: orders\r\n';

/** The number of requests after the bundle, and of connections and pages of a tenant within its limit. */
const [PIPELINED, TENANT_CONNECTIONS, TENANT_PAGES] = [1100, 7, 80];

/**
 * One connection without credentials that requests the largest file three times and 1,100 other responses, and reads
 * nothing.
 */
export function unreadBundle(target: Target, bundlePath: string): Way {
  const bundle = `GET ${bundlePath} HTTP/1.1\r\n${HOST}\r\n`;
  const parts = [bundle, bundle, bundle + `GET /x HTTP/1.1\r\n${HOST}\r\n`.repeat(PIPELINED)];
  return way(target, 'bundle, nothing read', { kind: 'unread', connections: 1, parts, trickles: false });
}

/** A tenant within its rate limit that requests pages of 100 large orders and reads nothing, or one byte a second. */
export function unreadPages(target: Target, apiKey: string, trickles: boolean): Way {
  return unread(target, trickles ? 'pages, a byte a second' : 'pages, nothing read', '/v1/orders?limit=100', {
    apiKey,
    trickles,
  });
}

/** A tenant within its rate limit that requests pages of 100 events with their large orders, and reads nothing. */
export function unreadEvents(target: Target, apiKey: string): Way {
  return unread(target, 'events with orders, nothing read', '/v1/events?limit=100&include=resource', {
    apiKey,
    trickles: false,
  });
}

/** A tenant that requests a path as often as its limit permits. */
function unread(
  target: Target,
  name: string,
  path: string,
  { apiKey, trickles }: { readonly apiKey: string; readonly trickles: boolean },
): Way {
  const parts = [requestText({ path, apiKey }).repeat(TENANT_PAGES)];
  return way(target, name, { kind: 'unread', connections: TENANT_CONNECTIONS, parts, trickles });
}

/** A request that waits for events as long as possible. */
const FOLLOW = '/v1/events?start=latest&wait=20';

/** A tenant within its rate limit that waits for events on many more connections than may wait. */
export function waits(target: Target, apiKey: string): Way {
  const texts = [requestText({ path: FOLLOW, apiKey })];
  return requestsInTurn(target, 'waits on 200 connections', texts, { connections: 200, count: 580 });
}

/** A tenant that waits for events on connections that it closes at once. No wait may outlast its connection. */
export function abandonedWaits(target: Target, apiKey: string): Way {
  const payload = requestText({ path: FOLLOW, apiKey });
  const attack = { kind: 'abandoned', connections: 8, payload, afterMs: 30, count: 550 } as const;
  return {
    ...way(target, 'abandoned waits', attack),
    finishes: true,
    fault: async () => {
      const wait = async () => {
        const response = await fetch(`${target.url}/v1/events?start=latest&wait=1`, {
          headers: { 'x-api-key': apiKey },
        });
        await response.arrayBuffer();
        return response.status;
      };
      // As many as may wait at the same time.
      const statuses = await Promise.all([wait(), wait(), wait(), wait()]);
      return statuses.every((status) => status === 200)
        ? undefined
        : `${statuses.join()} to waits after abandoned ones`;
    },
  };
}

/** Writes after a request whose response closes the connection. `placed` counts the orders of the tenant. */
export function behindClosing(target: Target, apiKey: string, placed: () => Promise<number>): Way {
  const body = '{"items":[{"sku":"X","name":"X","quantity":1,"unit_price":{"amount":1,"currency":"EUR"}}]}';
  const write = requestText({ method: 'POST', path: '/v1/orders', apiKey, body });
  const closing = [
    `GET /nothing HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n`,
    `GET /nothing HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
    `GET /nothing HTTP/1.1\r\n${HOST}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
    `GET /nothing HTTP/1.0\r\n\r\n`,
  ];
  const payloads = closing.map((opening) => opening + write);
  const attack = { kind: 'closing', connections: 8, payloads, count: 60 } as const;
  return {
    ...way(target, 'writes behind a closing response', attack),
    finishes: true,
    fault: async () => {
      const count = await placed();
      return count === 0 ? undefined : `${count} orders of requests behind a closing response`;
    },
  };
}

/** Connections that each send other bytes that are not HTTP. */
export function malformed(target: Target): Way {
  const payloads = [
    'garbage\r\n\r\n',
    `GET /v1/orders HTTP/1.1\r\n${HOST}a b: c\r\n\r\n`,
    `GET /v1/orders HTTP/1.1\r\n${HOST}${HOST}\r\n`,
    `POST /v1/orders HTTP/1.1\r\n${HOST}Content-Length: 4\r\nContent-Length: 5\r\n\r\n`,
    `GET /v1/orders HTTP/1.1\r\n${HOST}X: ${'a'.repeat(40_000)}\r\n\r\n`,
    `POST /v1/orders HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nZ\r\n\r\n`,
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\u0016\u0003\u0001\u0002\0\u0001\0\u0001\u00fc\u0003\u0003',
  ];
  const count = target.stage.full ? 20_000 : 4000;
  return way(target, 'malformed requests', { kind: 'closing', connections: 16, payloads, count });
}

/** Malformed requests followed by key guesses, from forged addresses. */
export function tunnels(target: Target): Way {
  const openings = [
    'GET /v1/orders HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
    'garbage\r\n\r\n',
    `POST /v1/orders HTTP/1.1\r\n${HOST}Content-Length: 4\r\nContent-Length: 5\r\n\r\n`,
    'CONNECT orders:80 HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
  ];
  const behind = Array.from(
    { length: 20 },
    (_, index) =>
      `GET /v1/orders HTTP/1.1\r\n${HOST}X-Forwarded-For: 192.0.2.${index + 1}\r\nX-API-Key: ord_guess${index}\r\n\r\n`,
  ).join('');
  const attack = { kind: 'tunnel', connections: 4, openings, behind, count: target.stage.full ? 500 : 100 } as const;
  return {
    ...way(target, 'tunnels behind two Host headers', attack),
    fault: ({ tunnels: reached = 0, connections }) =>
      reached === 0
        ? undefined
        : `${reached} of ${connections} connections reached a server behind a malformed request`,
  };
}

/** As many connections as the balancer accepts, each with a request that never ends. */
export function everyConnection(target: Target, connections: number): Way {
  return way(target, 'every connection of the balancer', { kind: 'held', connections });
}

/** Requests that need no credentials: unknown paths, OPTIONS, and the pages. */
export function publicRequests(target: Target): Way {
  const attack = { kind: 'flood', requests: { of: 'public' }, connections: 8, depth: 4, count: Infinity } as const;
  return way(target, '404, OPTIONS, openapi.json, docs', attack);
}

/** Guesses of keys from one address, which has no budget after the first of them. */
export function guesses(target: Target): Way {
  const attack = { kind: 'flood', requests: { of: 'guesses' }, connections: 16, depth: 4, count: Infinity } as const;
  return way(target, 'key guesses of one address', attack);
}

/** Key guesses, each from an address with its complete limit. */
export function guessesOfNetworks(target: Target): Way {
  const requests = { of: 'guesses-of-networks' } as const;
  const attack = { kind: 'flood', requests, connections: 16, depth: 4, count: Infinity } as const;
  return way(target, 'key guesses of many addresses', attack);
}

/** So many of the given requests, one at a time on each connection. */
export function requestsInTurn(
  target: Target,
  name: string,
  texts: readonly string[],
  extent: { readonly connections: number; readonly count: number },
): Way {
  return way(target, name, { kind: 'flood', requests: { of: 'given', texts }, depth: 1, ...extent });
}

type WithoutEndpoint<T> = T extends Attack ? Omit<T, 'port' | 'localAddress'> : never;

/** Returns an attack on the server of a target. */
export function way({ stage, url, localAddress }: Target, name: string, attack: WithoutEndpoint<Attack>): Way {
  const endpoint = { port: Number(new URL(url).port), ...(localAddress === undefined ? {} : { localAddress }) };
  return wayOf(stage, name, { ...attack, ...endpoint });
}
