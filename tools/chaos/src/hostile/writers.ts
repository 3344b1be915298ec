import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Stage } from '../stage.ts';
import { DEFINITION } from './expensive-bodies.ts';
import { startTenancy, tenantOwner } from './hostile-scene.ts';
import { placeOrder } from './place-order.ts';
import { quietOwners } from './quiet-owners.ts';

/** An owner within its limits, and an order of it. */
export interface Writer {
  readonly owner: string;
  readonly apiKey: string;
  readonly orderId: string;
}

/** Starts a server whose orders have custom data, with quiet owners and so many others, who have placed an order each. */
export async function startWriters(stage: Stage, count: number) {
  const { postgres, quietKeys, tenantKey, serve } = await startTenancy(stage);
  const definition = join(stage.folder, 'orders.json');
  await writeFile(definition, JSON.stringify(DEFINITION));
  const server = await serve('server', { ORDERS_DEFINITION: definition });
  const owners = await quietOwners(server.url, quietKeys);
  stage.atEnd(() => owners.close());
  const writers: Writer[] = [];
  for (let tenant = 0; tenant < count; tenant += 1) {
    const apiKey = tenantKey(tenant);
    writers.push({ owner: tenantOwner(tenant), apiKey, orderId: await placeOrder(server.url, apiKey) });
  }
  return { postgres, writers, scene: { stage, owners, servers: [server] }, target: { stage, url: server.url } };
}
