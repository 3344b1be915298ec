import { anEventOf, anOrder } from '@orders/domain/testing';
import {
  type Database,
  distribute,
  dueDeliveries,
  numberBacklogs,
  openDatabase,
  postgresCheckpoints,
  postgresOrderRepository,
  postgresWebhookQueue,
  purge,
  signingKeysInUse,
} from '@orders/persistence';
import { beforeEach, expect, inject, it, onTestFinished } from 'vitest';
import { idOf, insertChanges, insertKey } from '../fixtures/change-rows.ts';
import { givenPositions, insertMany, upTo } from '../fixtures/feed-rows.ts';
import { execute } from '../fixtures/execute.ts';
import { endpointId, insertEndpoint, insertVersions } from '../fixtures/delivery-rows.ts';
import { type OwnCluster, ownersOfOthers, startOwnCluster } from './own-cluster.ts';

const OWNERS = upTo(16).map((number) => `owner ${String(number).padStart(2, '0')}`);

let cluster: OwnCluster;
let url: string;
let database: Database;
let living: readonly string[];
/** The number of times at which a step has left out a node. */
let down: number;
const options = { onNodeDown: () => void (down += 1), onPassedOver: (owner: string) => expect.fail(owner) };

beforeEach(async () => {
  cluster = await startOwnCluster(inject('citusUrl'));
  onTestFinished(cluster.stop);
  url = cluster.coordinator.url;
  database = openDatabase({ url });
  onTestFinished(() => database.close());
  await database.migrate();
  await distribute(database);
  const [worker] = cluster.workers;
  living = worker ? await ownersOfOthers(url, OWNERS, worker) : [];
  down = 0;
});

/** Runs `work` while a worker is down, then again. Expects that the node is left out the first time alone. */
async function whileDown(work: () => Promise<void>, afterwards: () => Promise<void>): Promise<void> {
  expect([living.length > 0, living.length < OWNERS.length]).toEqual([true, true]);
  await cluster.workers[0]?.kill();
  await work();
  expect(down).toBeGreaterThan(0);
  await cluster.workers[0]?.restart();
  down = 0;
  await expect.poll(afterwards, { timeout: 60_000 }).toBeUndefined();
  expect(down).toBe(0);
}

it('due owners of other nodes are found and counted while a worker is down, their signing keys, and those behind a consumer', async () => {
  for (const owner of OWNERS) {
    await insertEndpoint(url, owner, endpointId(1));
    await insertVersions(url, owner, 1, [1, 2]);
  }
  const queue = postgresWebhookQueue(database, options);
  const checkpoints = postgresCheckpoints(database, options);
  const find = async (owners: readonly string[]) => {
    const [first, second] = [owners.slice(0, 3), owners.slice(3)];
    expect((await queue.findDue(3, null))._unsafeUnwrap()).toEqual({ owners: first, next: first.at(-1) });
    expect((await queue.findDue(100, first.at(-1) ?? ''))._unsafeUnwrap()).toEqual({ owners: second, next: null });
    expect((await checkpoints.findBehind('mail', null))._unsafeUnwrap().owners).toEqual(owners);
    const { worker } = await dueDeliveries(database, undefined, options);
    expect(worker.count).toBe(2 * owners.length);
    expect((await signingKeysInUse(database, options))._unsafeUnwrap()).toEqual(['key']);
  };
  await whileDown(
    () => find(living),
    () => find(OWNERS),
  );
});

it('owners of other nodes are numbered and purged while a worker is down', async () => {
  const old = '2001-01-01T00:00:00Z';
  for (const owner of OWNERS) {
    await insertMany(url, owner, 1200, '2001-02-01');
    await insertChanges(url, owner, [
      { id: idOf(1), version: 1, at: old },
      { id: idOf(1), version: 2, at: old, deletion: true },
    ]);
    await insertKey(url, owner, 'key', { id: idOf(9), version: 1 }, old);
    await insertEndpoint(url, owner, endpointId(1));
    await execute(url, `delete from webhook_endpoints where owner_id = '${owner}'`);
  }
  const purgeDatabase = purge(database, options);
  const step = async (owners: readonly string[]) => {
    expect(await numberBacklogs(database, undefined, options)).toMatchObject({ owners: owners.length });
    const purged = await purgeDatabase({ now: new Date().toISOString(), eventsBefore: '2001-02-01T00:10:00.000Z' });
    expect(purged).toMatchObject({ keys: owners.length, changes: 2 * owners.length });
    for (const owner of owners) {
      expect(await givenPositions(url, owner)).toHaveLength(1200);
      expect(await execute(url, `select purged from feeds where owner_id = '${owner}'`)).toEqual([{ purged: '602' }]);
      expect(await execute(url, `select from webhook_queues where owner_id = '${owner}'`)).toEqual([]);
    }
  };
  await whileDown(
    () => step(living),
    () => step(OWNERS.filter((owner) => !living.includes(owner))),
  );
});

it('a worker whose extension is being updated rejects orders of its own owners alone', async () => {
  // As between the start of a new release and `alter extension citus update`. Sessions check it once.
  const version = `update pg_extension set extversion = '12.0-1' where extname = 'citus'`;
  await execute(cluster.workers[0]?.url ?? '', version);
  const opened = openDatabase({ url });
  onTestFinished(() => opened.close());
  const orders = postgresOrderRepository(opened);
  const insert = async (owner: string) => {
    const order = anOrder();
    const event = anEventOf(owner, order);
    const inserted = await orders.commit(owner, { kind: 'create', after: order, event, key: undefined });
    return inserted.match(
      () => 'inserted',
      ({ type }) => type,
    );
  };
  expect(await Promise.all(OWNERS.map(insert))).toEqual(
    OWNERS.map((owner) => (living.includes(owner) ? 'inserted' : 'unavailable')),
  );
});
