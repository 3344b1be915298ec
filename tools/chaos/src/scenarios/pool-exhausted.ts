import { Client } from 'pg';
import { health } from '../health.ts';
import type { Attempt } from '../load/client.ts';
import { checkOutage } from '../load/check-outage.ts';
import { startLoad } from '../load/load.ts';
import { settle } from '../load/settle.ts';
import { install } from '../processes/installation.ts';
import { query } from '../processes/postgres.ts';
import type { Scenario } from '../scenario.ts';
import { waitFor } from '../wait.ts';

const STATEMENT_TIMEOUT_MS = 1000;

/** A request has several statements, and each may wait for a connection: it is all of them that have to end in time. */
const REQUEST_TIMEOUT_MS = 8000;
const RESPONSE_MS = REQUEST_TIMEOUT_MS + 3000;

/** So many clients that most wait for a connection, longer than a response may take. */
const CLIENTS = 96;

/** How many requests have to be refused under each fault, that is, to have met it. */
const REFUSED = 40;

/** Has every change of an order take so many seconds. */
const slow = (seconds: number) => `
  create or replace function slow() returns trigger language plpgsql as $$
  begin perform pg_sleep(${seconds}); return new; end $$;
  create or replace trigger slow before insert or update on orders.orders for each row execute function slow()`;

export const poolExhausted: Scenario = {
  name: 'pool-exhausted',
  about: 'two connections for each server, behind a locked table and slow statements',
  run: async (stage) => {
    const env = {
      DATABASE_POOL_MAX: '2',
      STATEMENT_TIMEOUT_MS: `${STATEMENT_TIMEOUT_MS}`,
      REQUEST_TIMEOUT_MS: `${REQUEST_TIMEOUT_MS}`,
    };
    const { postgres, apiKey, urls } = await install(stage, env);
    let refused = 0;
    const observe = (attempt: Attempt) => {
      checkOutage(stage, attempt, RESPONSE_MS, [503, 504]);
      if ('status' in attempt.exchanged && attempt.exchanged.status >= 500) refused += 1;
    };
    const load = await startLoad(stage, { urls, apiKeys: [apiKey], clients: CLIENTS, observe });
    const share = Math.floor(stage.operations / 5);
    const refusals = async (what: string) => {
      const [before, begun] = [refused, performance.now()];
      stage.progress(`${what}, ${load.done()} operations`);
      await waitFor(`refusals behind ${what}`, 60_000, () =>
        refused - before >= REFUSED && performance.now() - begun > RESPONSE_MS ? true : undefined,
      );
      stage.figure(`refused behind ${what}`, refused - before);
      for (const url of urls) {
        // Otherwise a balancer would have no server left.
        stage.holds((await health(url, 'readyz')) === 200, 'a server whose pool is in use is ready', `${url} is not`);
      }
    };

    await load.amidst(share);
    const unlock = await lock(postgres.url);
    load.allow(share);
    await refusals('a lock');
    await unlock();
    await load.carryOut(0);

    await query(postgres.url, slow(0.25));
    stage.progress(`slow statements, ${load.done()} operations`);
    await load.amidst(share);
    await query(postgres.url, slow(120));
    load.allow(share);
    await refusals('statements without an end');
    await query(postgres.url, 'drop trigger slow on orders');
    await settle(stage, load, postgres.url);
  },
};

/** Locks all orders in a session of its own, until the returned function is called. */
async function lock(url: string): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: url });
  // When PostgreSQL is ended before the session is.
  client.on('error', () => undefined);
  await client.connect();
  await client.query('begin; lock table orders in access exclusive mode');
  return async () => {
    await client.query('commit');
    await client.end();
  };
}
