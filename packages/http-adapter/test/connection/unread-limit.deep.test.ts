import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { inMemoryStore } from '@orders/domain/testing';
import { ResultAsync } from 'neverthrow';
import { describe, expect, it, vi } from 'vitest';
import { aNewOrder } from '../fixtures/new-orders.ts';
import { anApiOfLargeOrders, MIB, sendUnread } from './large-orders.ts';

describe('an owner whose clients do not read', () => {
  it.each([
    ['with the API alone', undefined],
    ['with a host whose hooks take their time', () => setImmediate()],
  ])('gets 429 above the limit until they have read or disconnected, unlike other owners: %s', async (_, wait) => {
    const hook = async (_request: unknown, _reply: unknown, payload: unknown) => {
      await wait?.();
      return payload;
    };
    const api = await anApiOfLargeOrders({ unreadBytesMax: MIB, ...(wait && { onSend: hook }) });
    const sockets = [await sendUnread(api, api.get.repeat(8)), await sendUnread(api, api.get.repeat(8))];
    await vi.waitFor(async () => expect(await api.statusOf()).toBe(429));
    const refused = await api.acme.post('/v1/orders', aNewOrder());
    expect(refused).toMatchObject({ headers: { 'retry-after': '1' }, status: 429, body: { code: 'rate_limited' } });
    const other = api.client(api.keys.issue({ owner: 'another' }));
    expect(await api.statusOf('another')).toBe(200);
    expect((await other.post('/v1/orders', aNewOrder())).status).toBe(201);
    for (const socket of sockets) socket.destroy();
    await vi.waitFor(async () => expect(await api.statusOf()).toBe(200));
    expect(api.observer.unreadLimited).toHaveBeenCalled();
  });

  it('gets 429 for concurrent reads that exceed the limit after their admission', async () => {
    const api = await anApiOfLargeOrders({ unreadBytesMax: 8 * MIB });
    const responses: ServerResponse[] = [];
    api.app.server.on('request', (_request, response) => responses.push(response));
    for (let client = 0; client < 10; client += 1) await sendUnread(api, api.get.repeat(8));
    await vi.waitFor(() => expect(api.observer.unreadLimited).toHaveBeenCalled());
    for (let other = 0; other < 50; other += 1) await api.acme.get('/v1/nothing');
    const unread = responses.reduce((sum, { closed, writableLength }) => sum + (closed ? 0 : writableLength), 0);
    expect(unread).toBeGreaterThan(4 * MIB);
    expect(unread).toBeLessThan(8 * MIB + 2.5 * MIB);
  });

  it('gets the result of a write that was admitted before the limit was exceeded', async () => {
    const { promise: stored, resolve: store } = Promise.withResolvers<undefined>();
    const { orders } = inMemoryStore();
    const commit = vi.fn<typeof orders.commit>((...write) =>
      ResultAsync.fromSafePromise(stored).andThen(() => orders.commit(...write)),
    );
    const api = await anApiOfLargeOrders({ unreadBytesMax: MIB }, { commit });
    const placing = api.acme.post('/v1/orders', aNewOrder());
    await vi.waitFor(() => expect(commit).toHaveBeenCalled());
    for (const _ of [1, 2, 3, 4]) await sendUnread(api, api.get.repeat(8));
    await vi.waitFor(async () => expect(await api.statusOf()).toBe(429));
    store(undefined);
    expect((await placing).status).toBe(201);
  });
});
