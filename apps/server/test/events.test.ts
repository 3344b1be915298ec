import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type ComposedServer, composeServer, composeServerOn } from './composed-server.ts';

/** A wait of 20 seconds that nothing ends takes longer. */
const ENDED_BEFORE_MS = 15_000;

let server: ComposedServer;
let databaseUrl: string;

beforeAll(async () => {
  server = await composeServer({}, (url) => {
    databaseUrl = url;
    return Promise.resolve(url);
  });
});

afterAll(() => server.close());

const NEW_ORDER = {
  items: [{ sku: 'A', name: 'Mug', quantity: 1, unit_price: { amount: 1999, currency: 'EUR' } }],
};

interface Events {
  readonly data: readonly { readonly position: number; readonly type: string; readonly resource: object }[];
  readonly page: { readonly next_cursor: string; readonly caught_up: boolean };
}

function clientOf({ app }: ComposedServer, key: string) {
  const headers = { 'x-api-key': key };
  const events = async (query = ''): Promise<Events> => {
    const response = await app.inject({ url: `/v1/events${query}`, headers });
    expect(response.statusCode).toBe(200);
    return response.json<Events>();
  };
  const place = async (): Promise<{ readonly id: string }> =>
    (await app.inject({ method: 'POST', url: '/v1/orders', headers, payload: NEW_ORDER })).json<{ id: string }>();
  return { events, place };
}

it('the feed of PostgreSQL has each acknowledged write, and continues at its cursors', async () => {
  const { events, place } = clientOf(server, await server.issueKey('shop'));
  const ids = [await place(), await place(), await place()].map(({ id }) => id);
  const first = await events('?limit=2&include=resource');
  expect(first.data).toMatchObject([
    { position: 1, type: 'order.placed', resource: { id: ids[0], version: 1, data: { status: 'pending' } } },
    { position: 2, type: 'order.placed', resource: { id: ids[1], version: 1, data: { status: 'pending' } } },
  ]);
  expect(first.page.caught_up).toBe(false);
  const second = await events(`?after=${first.page.next_cursor}`);
  expect(second).toMatchObject({ data: [{ position: 3, resource: { id: ids[2] } }], page: { caught_up: true } });
});

it.each(['the same server', 'another server'])('a write of %s ends a wait for events', async (writer) => {
  const owner = `follower of ${writer}`;
  const other = writer === 'the same server' ? server : await composeServerOn(databaseUrl);
  if (other !== server) onTestFinished(() => other.close());
  const { events } = clientOf(server, await server.issueKey(owner));
  const { place } = clientOf(other, await other.issueKey(owner));
  const { page } = await events('?start=latest');
  let isOver = false;
  const pending = events(`?after=${page.next_cursor}&wait=20`).finally(() => (isOver = true));
  // Reads that are sent later have their responses, so the other one waits.
  for (let time = 0; time < 3; time += 1) await events();
  expect(isOver).toBe(false);
  const begun = performance.now();
  const { id } = await place();
  expect(await pending).toMatchObject({ data: [{ position: 1, resource: { id } }] });
  expect(performance.now() - begun).toBeLessThan(ENDED_BEFORE_MS);
});

it('a server that closes ends the waits for events', async () => {
  const closing = await composeServerOn(databaseUrl);
  const { events } = clientOf(closing, await closing.issueKey('last'));
  const { page } = await events('?start=latest');
  const pending = events(`?after=${page.next_cursor}&wait=20`);
  const begun = performance.now();
  // A read that is sent later has its response, so the other one waits.
  await events();
  await closing.app.close();
  expect(await pending).toMatchObject({ data: [], page: { next_cursor: page.next_cursor } });
  expect(performance.now() - begun).toBeLessThan(ENDED_BEFORE_MS);
  await closing.close();
});
