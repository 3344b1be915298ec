import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Order, OrderRepository } from '@orders/domain';
import { anOrder } from '@orders/domain/testing';
import { okAsync, type ResultAsync } from 'neverthrow';
import { onTestFinished, vi } from 'vitest';
import { aCountingObserver } from '../fixtures/a-counting-observer.ts';
import { aDomainOver } from '../fixtures/a-domain.ts';
import { anApi, type Api, type Wanted } from '../fixtures/an-api.ts';
import { head, portOf } from '../fixtures/raw-http.ts';

export const KEPT = { Connection: 'keep-alive' };
export const MIB = 1024 * 1024;

type Load = () => ResultAsync<{ readonly aggregate: Order }, never>;

/** Creates an API over a store in which every order has 2 MiB, with the methods of `other`. */
export async function anApiOfLargeOrders(wanted: Wanted = {}, other: Partial<OrderRepository> = {}) {
  const order = anOrder({ note: 'n'.repeat(2 * MIB) });
  const load = vi.fn<Load>(() => okAsync({ aggregate: order }));
  const observer = aCountingObserver();
  const api = await anApi({ ...aDomainOver({ load, ...other }), observer, ...wanted });
  const url = `/v1/orders/${order.id}`;
  const get = head(`GET ${url} HTTP/1.1`, { ...KEPT, 'X-API-Key': api.keys.issue() });
  // Without the client of the tests, which rejects orders of this size.
  const statusOf = async (owner = 'acme') =>
    (await api.app.inject({ url, headers: { 'x-api-key': api.keys.issue({ owner }) } })).statusCode;
  return { ...api, observer, load, statusOf, get };
}

/** Sends `bytes` on a new connection, and reads no response. */
export async function sendUnread({ app }: Pick<Api, 'app'>, bytes: string): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: await portOf(app) });
  onTestFinished(() => void socket.destroy());
  socket.pause().on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(bytes);
  return socket;
}
