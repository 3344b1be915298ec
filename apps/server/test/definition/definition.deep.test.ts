import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { run, type RunningServer } from '../programs/running-server.ts';
import { aDatabase, startServerOn, type TestDatabase } from '../programs/server-on-database.ts';
import { aDefinitionFile, BAKERY, BAKING } from './definition-files.ts';

const items = [{ sku: 'RYE', name: 'Rye bread', quantity: 2, unit_price: { amount: 420, currency: 'EUR' } }];

/** A bakery that can put orders on hold, which the first definition could not. */
const WITH_HOLD = {
  ...BAKERY,
  lifecycle: { ...BAKERY.lifecycle, received: ['baking', 'on_hold', 'cancelled'], on_hold: ['received', 'cancelled'] },
};

const Order = z.looseObject({ id: z.string() });

async function place(server: RunningServer, order: object = {}) {
  const body = JSON.stringify({ items, ...order });
  const response = await server.request('/v1/orders', { method: 'POST', body });
  return Order.parse(await response.json());
}

/** Moves an order into a status. Returns the status code and the body of the response. */
async function move(server: RunningServer, id: string, status: string): Promise<readonly [number, unknown]> {
  const headers = { 'content-type': 'application/merge-patch+json' };
  return await read(server, `/v1/orders/${id}`, { method: 'PATCH', headers, body: JSON.stringify({ status }) });
}

async function read(server: RunningServer, path: string, init?: RequestInit): Promise<readonly [number, unknown]> {
  const response = await server.request(path, init);
  return [response.status, await response.json()];
}

/** Starts a PostgreSQL that no definition was used with. */
async function anUnusedDatabase(): Promise<TestDatabase> {
  const database = await aDatabase();
  await database.execute('delete from orders.order_definitions');
  return database;
}

/** Starts a server on a database with the definition. */
async function startWith(database: TestDatabase, definition: object, custom?: string): Promise<RunningServer> {
  return await startServerOn(database, { ORDERS_DEFINITION: await aDefinitionFile(definition, custom) });
}

const OK: readonly unknown[] = [200, expect.anything()];

describe('a server with ORDERS_DEFINITION', () => {
  it('serves orders with the statuses and the custom data of the module', async () => {
    const server = await startWith(await anUnusedDatabase(), BAKERY, BAKING);
    const custom = { pick_up: '2026-02-03T07:30:00Z', allergens: ['milk'] };
    const order = await place(server, { custom });
    expect(order).toMatchObject({ status: 'received', custom, available_transitions: ['baking', 'cancelled'] });
    expect(order).toMatchObject({ baking_at: null, ready_at: null, collected_at: null, cancelled_at: null });
    expect(await move(server, order.id, 'baking')).toMatchObject([200, { status: 'baking' }]);
    const transitions = { available_transitions: ['ready', 'cancelled'] };
    expect(await move(server, order.id, 'collected')).toMatchObject([409, transitions]);
    const [, events] = await read(server, '/v1/events?types=order.placed,order.baking');
    const changed = ['status', 'baking_at'];
    expect(events).toMatchObject({ data: [{ type: 'order.placed' }, { type: 'order.baking', changed }] });
    const document = JSON.stringify(await read(server, '/openapi.json'));
    for (const text of ['"received"', '"order.collected"', '"allergens"']) expect(document).toContain(text);
    expect(document).not.toContain('"shipped"');
  });
});

describe('two servers with different definitions', () => {
  it('both serve orders in the statuses that both have, while a status is added', async () => {
    const database = await anUnusedDatabase();
    const before = await startWith(database, BAKERY);
    const after = await startWith(database, WITH_HOLD);
    const { id } = await place(before);
    const { id: held } = await place(after);
    expect(await move(after, held, 'on_hold')).toEqual(OK);

    expect(await read(before, `/v1/orders/${held}`)).toMatchObject([503, { code: 'unavailable' }]);
    expect(await read(before, `/v1/orders/${id}`)).toEqual(OK);
    expect(await read(after, `/v1/orders/${held}`)).toEqual(OK);
    const lacks: unknown = expect.stringContaining('lacks the status');
    await expect.poll(() => read(before, '/readyz')).toMatchObject([503, { detail: lacks }]);
    expect(await read(after, '/readyz')).toEqual(OK);

    // It serves the order again, and is ready, when the order has left the status.
    expect(await move(after, held, 'received')).toEqual(OK);
    expect(await read(before, `/v1/orders/${held}`)).toEqual(OK);
    await expect.poll(() => read(before, '/readyz')).toEqual(OK);
  });

  it('a server does not start when orders have a status that was removed, until none has', async () => {
    const database = await anUnusedDatabase();
    const server = await startWith(database, WITH_HOLD);
    const ids = [(await place(server)).id, (await place(server)).id];
    for (const id of ids) expect(await move(server, id, 'on_hold')).toEqual(OK);
    const env = { PORT: '0', DATABASE_URL: database.url, ORDERS_DEFINITION: await aDefinitionFile(BAKERY) };
    const { code, stderr } = await run('main.ts', env).finished;
    expect(code).toBe(1);
    expect(stderr).toContain('2 orders in the status "on_hold"');
    expect(stderr).not.toMatch(/^ +at /m);
    expect(await read(server, '/readyz')).toEqual(OK);

    for (const id of ids) expect(await move(server, id, 'received')).toEqual(OK);
    const later = await startWith(database, BAKERY);
    expect(await read(later, `/v1/orders/${ids[0]}`)).toEqual(OK);
  });
});
