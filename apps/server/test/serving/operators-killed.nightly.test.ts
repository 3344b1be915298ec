import { expect, it } from 'vitest';
import { aFreePort } from '../programs/ports.ts';
import { AN_ORDER, run } from '../programs/running-server.ts';
import { aDatabase, startServerOn } from '../programs/server-on-database.ts';

const ROUNDS = 5;
/** Acknowledged by a server until it is killed, beside others under way. An operator may send 600 a minute. */
const WRITES = 200;

it('a server that is killed has recorded each write of an operator, and nothing else', async () => {
  const database = await aDatabase();
  const port = `${await aFreePort()}`;
  const url = `http://127.0.0.1:${port}`;
  const env = { DATABASE_URL: database.url, ADMIN_PORT: port };
  const { stdout } = await run('cli.ts', env, ['operators', 'create', 'Ada', '--role', 'support']).finished;
  const post = (path: string, token: string, body?: string) =>
    fetch(url + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json', 'orders-owner': 'shop', 'orders-reason': 'killed' }),
      },
      ...(body && { body }),
    });
  let session = '';
  let acknowledged = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const server = await startServerOn(database, { ADMIN_PORT: port });
    await server.says(new RegExp(`listening at ${url}`));
    if (round === 0) {
      const signedIn = await post('/admin/v1/sessions', stdout.trim().split('=').at(-1) ?? '');
      [, session = ''] = /"token":"([^"]+)"/.exec(await signedIn.text()) ?? [];
    }
    const last = acknowledged + WRITES;
    let killed: Promise<void> | undefined;
    const placeUntilKilled = async () => {
      while (killed === undefined) {
        const placed = await post('/v1/orders', session, AN_ORDER).catch(() => undefined);
        if (placed?.status === 201) acknowledged += 1;
        if (acknowledged >= last) killed ??= server.kill();
      }
    };
    await Promise.all(Array.from({ length: 10 }, placeUntilKilled));
    await killed;
  }
  const [counted] = await database.execute(`
    select count(c.event_id)::int as changes, count(a.id)::int as records,
      count(*) filter (where c.event_id is null or a.id is null)::int as alone
    from (select * from orders.changes where actor like 'operator:%') as c
    full join (select * from orders.owner_audit where action = 'place_order') as a
      on a.owner_id = c.owner_id and a.subject = c.aggregate_id::text`);
  expect(counted).toMatchObject({ alone: 0 });
  expect(Number(counted?.['changes'])).toBeGreaterThanOrEqual(acknowledged);
  expect(acknowledged).toBeGreaterThanOrEqual(ROUNDS * WRITES);
});
