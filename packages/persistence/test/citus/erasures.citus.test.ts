import { distribute, openDatabase, postgresStore } from '@orders/persistence';
import { expect, inject, it, onTestFinished } from 'vitest';
import { BAKERY } from '../definitions/bakery.ts';
import { bakeryOn, MARKER, storePerson } from '../erasures/personal-shop.ts';
import { placesOf } from '../erasures/places-of.ts';
import { execute } from '../fixtures/execute.ts';
import { untilFinished } from '../fixtures/sessions.ts';
import { startOwnCluster } from './own-cluster.ts';

/** Citus hides shards from those who do not query for them. A busy machine takes time to connect to a node. */
const SHOWS_SHARDS = encodeURIComponent('-c citus.override_table_visibility=off -c citus.node_connection_timeout=30s');

it('an erased person is on no node of a cluster, nor in its samples and logs', async () => {
  const cluster = await startOwnCluster(inject('citusUrl'));
  onTestFinished(cluster.stop);
  const nodes = [cluster.coordinator, ...cluster.workers];
  const urls = nodes.map(({ url }) => `${url}?options=${SHOWS_SHARDS}`);
  const database = untilFinished(openDatabase({ url: cluster.coordinator.url, definition: BAKERY }));
  await database.migrate();
  await distribute(database);

  const domain = bakeryOn(postgresStore(database));
  const { owner, customerId } = await storePerson(database);
  const again = { email: `second-${MARKER}@example.com`, name: MARKER };
  expect(await domain.createCustomer(owner, again)).toMatchObject({ error: { type: 'email_taken' } });
  for (const url of urls) await execute(url, 'analyze');
  const places = async () => {
    const found = [];
    for (const url of urls) found.push(...(await execute(url, placesOf(MARKER))));
    return found.map(({ place }) => String(place));
  };
  expect((await places()).join(' ')).toMatch(/\bcustomers_\d+/);
  (await domain.eraseCustomer(owner, customerId))._unsafeUnwrap();
  expect(await places()).toEqual([]);
  const logs = await Promise.all(nodes.map(async (node) => await node.log()));
  expect(logs.join('')).toContain('customers_email_unique');
  expect(logs.join('')).not.toContain(MARKER);
});
