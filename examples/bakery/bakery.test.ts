import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { orThrow, PAGE_LIMIT_MAX } from '@orders/domain';
import { readEvents } from '@orders/domain/events';
import { customerRepositoryContract, orderRepositoryContract } from '@orders/domain/testing';
import type { Authentication } from '@orders/http-adapter';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { openBakery } from './app.ts';
import { BAKERY } from './bakery.ts';
import { advance } from './counter.ts';

/** Everyone is the harbour branch: the example `fastify-plugin` has sessions. */
const harbour: Authentication = {
  authenticate: () => ({ owner: 'harbour', scopes: ['orders:read', 'orders:write', 'events:read'] }),
  challenge: () => 'Session',
  securitySchemes: {},
};

const folder = mkdtempSync(join(tmpdir(), 'orders-bakery-'));
const postgres = await startEmbeddedPostgres({ dataDir: folder });
const { app, domain, feed, orders, customers, close } = await openBakery(postgres.url, harbour);
after(async () => {
  await close();
  await postgres.stop();
  rmSync(folder, { recursive: true });
});

/** The store of the bakery, as the contracts of the ports see it. */
const store = {
  orders,
  customers,
  events: async (owner: string) => {
    const page = await readEvents(feed, owner, { limit: PAGE_LIMIT_MAX });
    if (page.isErr()) throw new Error(page.error.type);
    const recorded = page.value.data.map(({ position: _position, resource, ...event }) => ({
      ...event,
      owner,
      aggregate_id: resource.id,
      version: resource.version,
    }));
    // Positions are given when a feed is read, and the contracts expect the order of the changes.
    return recorded.toSorted(
      (a, b) => a.occurred_at.localeCompare(b.occurred_at) || a.version - b.version || a.id.localeCompare(b.id),
    );
  },
};

orderRepositoryContract({ describe, it }, () => store, BAKERY);
customerRepositoryContract({ describe, it }, () => store, BAKERY);

const rye = { sku: 'RYE', name: 'Rye bread', quantity: 2, unit_price: { amount: 420, currency: 'EUR' } };

describe('the bakery', () => {
  it('bakes an order until it is collected', async () => {
    const placed = await domain.placeOrder('counter', {
      reference: 'B-1',
      items: [rye],
      custom: { pick_up: '07:30', allergens: ['nuts'] },
    });
    const { id } = orThrow(placed).order;
    const lines = [];
    for (let step = 0; step < 4; step += 1) lines.push(await advance(domain, 'counter', id));
    assert.deepEqual(lines, [
      'B-1 07:30: It is in the oven. (without nuts)',
      'B-1 07:30: Come and get it. (without nuts)',
      'B-1 07:30: Enjoy! (without nuts)',
      'Nothing follows collected.',
    ]);
    const order = await orThrow(domain.getOrder('counter', id));
    assert.ok(order.baking_at !== null && order.ready_at !== null && order.cancelled_at === null);
  });

  it('cancels an order until it is ready', async () => {
    const { id } = (await orThrow(domain.placeOrder('counter', { items: [rye] }))).order;
    await advance(domain, 'counter', id);
    await advance(domain, 'counter', id);
    await assert.rejects(orThrow(domain.cancelOrder('counter', id)), {
      details: {
        type: 'invalid_status_transition',
        current_status: 'ready',
        requested_status: 'cancelled',
        available_transitions: ['collected'],
      },
    });
  });

  it('serves its orders by HTTP', async () => {
    const url = '/v1/orders';
    const send = (payload: object) => app.inject({ method: 'POST', url, payload });
    const placed = await send({ items: [rye], custom: { pick_up: '16:00' } });
    assert.equal(placed.statusCode, 201);
    assert.partialDeepStrictEqual(placed.json(), {
      status: 'received',
      custom: { pick_up: '16:00', allergens: [] },
      available_transitions: ['baking', 'cancelled'],
    });
    const rejected = await send({ items: [rye], custom: { pick_up: 'noon', wrapped: true } });
    assert.partialDeepStrictEqual(rejected.json(), {
      code: 'validation_failed',
      errors: [{ field: 'custom.wrapped' }, { field: 'custom.pick_up' }],
    });
    const baking = await app.inject({ url: `${url}?status=baking` });
    assert.partialDeepStrictEqual(baking.json(), { data: [] });
  });
});
