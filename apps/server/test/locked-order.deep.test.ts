import { openDatabase, postgresApiKeys } from '@orders/persistence';
import { expect, it, onTestFinished } from 'vitest';
import { AN_ORDER } from './running-server.ts';
import { aDatabase, issueKey, startServerOn } from './server-on-database.ts';

it('changes of one locked order get 503 with Retry-After, while another owner reads and writes', async () => {
  const database = await aDatabase();
  const server = await startServerOn(database, {});
  const session = openDatabase({ url: database.url, statementTimeoutMs: 60_000 });
  onTestFinished(() => session.close());
  const neighbour = { 'x-api-key': await issueKey(postgresApiKeys(session), 'neighbour') };
  const place = async (headers: Record<string, string> = {}) =>
    await server.send('/v1/orders', { method: 'POST', body: AN_ORDER, headers });
  const path = (await place()).headers.get('location') ?? '';
  const change = async () => await server.send(path, { method: 'PATCH', body: '{"note":"soon"}' });

  const em = session.orm.em.fork();
  await em.begin();
  await em.execute('set local idle_in_transaction_session_timeout = 0');
  await em.execute('select 1 from orders where id = ? for update', [path.split('/').at(-1)]);
  const changes = Array.from({ length: 25 }, change);
  // One owner uses four of ten connections.
  await expect.poll(database.waitingForLocks).toBe(4);
  for (let count = 0; count < 10; count += 1) {
    expect((await place(neighbour)).status).toBe(201);
    expect((await server.send('/v1/orders', { headers: neighbour })).status).toBe(200);
  }
  for (const response of await Promise.all(changes)) {
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  await em.rollback();
  expect((await change()).status).toBe(200);
});
