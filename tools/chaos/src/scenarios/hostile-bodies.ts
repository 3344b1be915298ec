import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { requestText } from '@orders/system-under-test';
import { DEFINITION, EXPENSIVE_BODIES, largestOrder } from '../hostile/expensive-bodies.ts';
import { floodWay, startFlood } from '../hostile/flood.ts';
import { MEMORY_MAX_MIB, playBeside, type Way } from '../hostile/play-beside.ts';
import { clientOf, type HostileScene, ORDER, setScene, type Tenant } from '../hostile/scene.ts';
import type { Scenario } from '../stage.ts';

/** Writes of each owner at the same time, in bursts. */
const AT_ONCE = 30;

/** Writes of an owner in a minute, of which it has placed an order. */
const WRITES = 115;

/** Requests of an owner in a minute, a fifth of which are writes. */
const REQUESTS = 550;

const FULFILLMENTS_MAX = 100;

/** Batches that lack their last byte: of which owner, how many at a time, how long they are without it, and how many in all. */
const UNFINISHED = {
  'batches without a body': [5, 1000, 0, 100_000],
  'batches that lack a byte': [6, 150, 2 ** 21 - 1, 150],
} as const;

export const hostileBodies: Scenario = {
  name: 'hostile-bodies',
  about:
    'bodies that are large, expensive to parse, to read and to reject, or do not arrive; an order of 10,000 entries',
  run: async (stage) => {
    const definition = join(stage.folder, 'orders.definition.ts');
    await writeFile(definition, DEFINITION);
    const scene = await setScene(stage, { ORDERS_DEFINITION: definition, REQUEST_TIMEOUT_MS: '10000' });
    for (const [name, [owner, connections, bytes, count]] of Object.entries(UNFINISHED)) {
      const headers = { 'x-api-key': scene.tenant(owner).apiKey, 'content-type': 'application/json' };
      const text = requestText({ method: 'POST', path: '/v1/order_batches', headers, body: 'x'.repeat(bytes) });
      const texts = [text.replace(/(?<=content-length: )\d+/, `${bytes + 1}`)];
      const start = () => startFlood(stage, { port: scene.server.port, texts, connections, count });
      // What is discarded becomes garbage, besides the 32 MiB that one owner may hold.
      await playBeside(scene, { name, start, memoryMaxMib: (MEMORY_MAX_MIB * 2) / 3 });
    }
    for (const tenants of [[scene.tenant(0)], [scene.tenant(7), scene.tenant(8)]])
      await playBeside(scene, await bursts(scene, tenants));
    await playBeside(scene, await longOrder(scene, scene.tenant(9)));
  },
};

/** All expensive bodies, which owners send in bursts. What one of them costs is measured by the benchmark of hostile requests. */
async function bursts(scene: HostileScene, tenants: readonly Tenant[]): Promise<Way> {
  const texts: string[] = [];
  for (const { apiKey, client } of tenants) {
    const { id } = (await client.place(ORDER))._unsafeUnwrap().order;
    for (const { body, changes = false } of EXPENSIVE_BODIES) {
      const target = changes
        ? ({ method: 'PATCH', path: `/v1/orders/${id}` } as const)
        : ({ method: 'POST', path: '/v1/orders' } as const);
      texts.push(textOf(apiKey, target, body));
    }
  }
  const { length } = tenants;
  return flood(scene, `expensive bodies of ${length} owners`, texts, Math.floor(WRITES / length), length);
}

/** Reads and changes of an order of which each item is in each fulfillment. */
async function longOrder(scene: HostileScene, { apiKey }: Tenant): Promise<Way> {
  // Its limits are its own, so that the order takes nothing from those of the server that is watched.
  const { url } = await scene.serve('filling-server');
  const client = clientOf(url, apiKey);
  const { id, items } = (await client.place({ items: largestOrder().items }))._unsafeUnwrap().order;
  const all = { items: items.map((item) => ({ item_id: item.id, quantity: 1 })) };
  for (let count = 0; count < FULFILLMENTS_MAX; count += 1) (await client.fulfill(id, all))._unsafeUnwrap();
  const path = `/v1/orders/${id}`;
  const read = (suffix: string) => textOf(apiKey, { method: 'GET', path: suffix });
  const adjustments = [{ type: 'fee', name: 'Fee', amount: { amount: 1, currency: 'EUR' } }];
  const texts = [
    ...['', '', '/versions', '/items'].map((suffix) => read(`${path}${suffix}`)),
    textOf(apiKey, { method: 'PATCH', path }, '{"note":"x"}'),
    ...['', '', '/versions/1'].map((suffix) => read(`${path}${suffix}`)),
    read('/v1/orders'),
    textOf(apiKey, { method: 'POST', path: `${path}/adjustments` }, JSON.stringify({ adjustments })),
  ];
  return flood(scene, 'an order of 10,000 entries', texts, REQUESTS, 1);
}

/** Texts that are sent in turn. */
function flood(scene: HostileScene, name: string, texts: readonly string[], each: number, owners: number): Way {
  const sent = { texts, connections: AT_ONCE * owners, count: each * owners };
  return floodWay(scene, sent, /^(200|201|400|413|422)$/, { name, memoryMaxMib: owners * MEMORY_MAX_MIB });
}

function textOf(
  apiKey: string,
  target: { readonly method: 'GET' | 'POST' | 'PATCH'; readonly path: string },
  body = '',
): string {
  const headers = { 'x-api-key': apiKey, ...(body !== '' && { 'content-type': 'application/json' }) };
  return requestText({ ...target, headers, body });
}
