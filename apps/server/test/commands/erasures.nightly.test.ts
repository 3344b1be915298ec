import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { placesOf } from '../../../../packages/persistence/test/erasures/places-of.ts';
import { aDatabase, startServerOn } from '../programs/server-on-database.ts';

const MARKER = 'marker-of-ada';
const ITEMS = [{ sku: 'TEA', name: 'Tea', quantity: 1, unit_price: { amount: 420, currency: 'EUR' } }];
const ORDERS = 400;

it('an erasure is finished by other servers, however often they are killed, with each order once', async () => {
  const database = await aDatabase();
  const env = { RATE_LIMIT_WRITE: '10000' };
  const first = await startServerOn(database, env);
  const post = async (path: string, body: object) => {
    const response = await first.request(path, { method: 'POST', body: JSON.stringify(body) });
    expect(response.status).toBe(201);
    return z.object({ id: z.string() }).parse(await response.json()).id;
  };
  const customer_id = await post('/v1/customers', { email: `${MARKER}@example.com`, name: MARKER });
  for (let count = 0; count < ORDERS; count += 1)
    await post('/v1/orders', { items: ITEMS, customer_id, note: MARKER, metadata: { gift: MARKER } });

  const count = async (condition: string) => {
    const [row] = await database.execute(`select count(*)::int as n from orders.changes where ${condition}`);
    return Number(row?.['n']);
  };
  const erased = () => count(`type = 'order.erased'`);
  void first.request(`/v1/customers/${customer_id}/erasures`, { method: 'POST' }).catch(() => undefined);
  let server = first;
  let kills = 0;
  for (let before = 0; before < ORDERS;) {
    const goal = before + 1 + Math.floor((Math.random() * ORDERS) / 5);
    while ((await erased()) < Math.min(goal, ORDERS)) await sleep(2);
    await server.kill();
    kills += 1;
    before = await erased();
    server = await startServerOn(database, env);
  }
  const pending = `select from orders.customers where erasure = 'pending'`;
  while ((await database.execute(pending)).length > 0) await sleep(20);
  expect(kills).toBeGreaterThan(3);
  expect(await erased()).toBe(ORDERS);
  expect(await count(`aggregate = 'order' and version > 2`)).toBe(0);
  expect(await database.execute(placesOf(MARKER))).toEqual([]);
}, 300_000);
