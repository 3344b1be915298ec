import { describe, expect, it } from 'vitest';
import { aDefinitionFile, BAKERY, BAKING } from './definition-files.ts';
import { run, type RunningServer, startServer } from '../programs/running-server.ts';
import { aDatabase, type ServerOnDatabase, startServerOn, type TestDatabase } from '../programs/server-on-database.ts';

const items = [{ sku: 'RYE', name: 'Rye bread', quantity: 2, unit_price: { amount: 420, currency: 'EUR' } }];
const baking = { pick_up: '2026-02-03T07:30:00Z', allergens: ['milk'] };

/** A bakery that can put orders on hold, which the first definition could not. */
const WITH_HOLD = {
  ...BAKERY,
  lifecycle: { ...BAKERY.lifecycle, received: ['baking', 'on_hold', 'cancelled'], on_hold: ['received', 'cancelled'] },
};

type Send = (path: string, init?: RequestInit) => Promise<Response>;

/** Returns a function that sends requests with the demo API key. */
function sendTo(server: RunningServer): Send {
  return (path, init) => server.request(path, init);
}

async function place(send: Send, order: object = {}): Promise<Response> {
  return await send('/v1/orders', { method: 'POST', body: JSON.stringify({ items, ...order }) });
}

async function move(send: Send, id: string, status: string): Promise<Response> {
  const headers = { 'content-type': 'application/merge-patch+json' };
  return await send(`/v1/orders/${id}`, { method: 'PATCH', headers, body: JSON.stringify({ status }) });
}

async function json(response: Response): Promise<Readonly<Record<string, unknown>>>;
async function json(response: Response): Promise<unknown> {
  return await response.json();
}

async function idOf(response: Response): Promise<string> {
  expect(response.status).toBe(201);
  return String((await json(response))['id']);
}

/** Starts a server on a database with the definition. */
async function startWith(database: TestDatabase, definition: object): Promise<ServerOnDatabase> {
  return await startServerOn(database, { ORDERS_DEFINITION: await aDefinitionFile(definition) });
}

/** Returns the output of a server that does not start. */
async function refusalOf(url: string, definition?: object): Promise<string> {
  const env = definition && { ORDERS_DEFINITION: await aDefinitionFile(definition) };
  const { code, stderr } = await run('main.ts', { PORT: '0', DATABASE_URL: url, ...env }).finished;
  expect(code).toBe(1);
  expect(stderr).not.toMatch(/^ +at /m);
  return stderr;
}

describe('a server with ORDERS_DEFINITION', () => {
  it('serves orders with the statuses and the custom data of the file', async () => {
    const path = await aDefinitionFile({ ...BAKERY, custom: BAKING });
    const send = sendTo(await startServer({ ORDERS_DEFINITION: path }));
    const placed = await place(send, { custom: baking });
    const order = await json(placed.clone());
    expect(order).toMatchObject({ status: 'received', custom: baking, available_transitions: ['baking', 'cancelled'] });
    expect(order).toMatchObject({ baking_at: null, ready_at: null, collected_at: null, cancelled_at: null });
    const id = await idOf(placed);
    expect(await json(await move(send, id, 'baking'))).toMatchObject({ status: 'baking' });
    const early = await move(send, id, 'collected');
    expect([early.status, await json(early)]).toMatchObject([409, { available_transitions: ['ready', 'cancelled'] }]);

    const { data } = await json(await send('/v1/events?types=order.placed,order.baking'));
    expect(data).toMatchObject([{ type: 'order.placed' }, { type: 'order.baking', changed: ['status', 'baking_at'] }]);
    const document = JSON.stringify(await json(await send('/openapi.json')));
    for (const text of ['"received"', '"order.collected"', '"allergens"']) expect(document).toContain(text);
    expect(document).not.toContain('"shipped"');
  });
});

describe('two servers with different definitions', () => {
  it('both serve orders in the statuses that both have, while a status is added', async () => {
    const database = await aDatabase();
    const before = await startWith(database, BAKERY);
    const after = await startWith(database, WITH_HOLD);
    const id = await idOf(await place(before.send));
    const held = await idOf(await place(after.send));
    expect((await move(after.send, held, 'on_hold')).status).toBe(200);

    const response = await before.send(`/v1/orders/${held}`);
    expect([response.status, await json(response)]).toMatchObject([503, { code: 'unavailable' }]);
    expect((await before.send(`/v1/orders/${id}`)).status).toBe(200);
    expect((await after.send(`/v1/orders/${held}`)).status).toBe(200);
    const readyz = await before.send('/readyz');
    expect([readyz.status, await readyz.text()]).toEqual([503, expect.stringContaining('lacks the status')]);
    expect((await after.send('/readyz')).status).toBe(200);

    // It serves the order again, and is ready, when the order has left the status.
    expect((await move(after.send, held, 'received')).status).toBe(200);
    expect((await before.send(`/v1/orders/${held}`)).status).toBe(200);
    await expect.poll(async () => (await before.send('/readyz')).status).toBe(200);
  });

  it('a server does not start when orders have a status that was removed, until none has', async () => {
    const database = await aDatabase();
    const server = await startWith(database, WITH_HOLD);
    const [first, second] = [await idOf(await place(server.send)), await idOf(await place(server.send))];
    for (const id of [first, second]) expect((await move(server.send, id, 'on_hold')).status).toBe(200);
    expect(await refusalOf(database.url, BAKERY)).toContain('2 orders in the status "on_hold"');
    expect((await server.send('/readyz')).status).toBe(200);

    for (const id of [first, second]) expect((await move(server.send, id, 'received')).status).toBe(200);
    const later = await startWith(database, BAKERY);
    expect((await later.send(`/v1/orders/${first}`)).status).toBe(200);
  });
});
