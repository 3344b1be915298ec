import { playBeside } from '../hostile/hostile-play.ts';
import { bundlePath, countOrders, startTenancy } from '../hostile/hostile-scene.ts';
import { placeLargeOrders } from '../hostile/large-orders.ts';
import { quietOwners } from '../hostile/quiet-owners.ts';
import { behindClosing, malformed, publicRequests, unreadBundle, unreadPages } from '../hostile/ways.ts';
import type { Scenario } from '../scenario.ts';

const [READS_NOTHING, TRICKLES, WRITES] = [0, 1, 2];

export const hostileConnections: Scenario = {
  name: 'hostile-connections',
  about: 'clients that read nothing, write behind closing responses, send no HTTP, and flood public pages',
  run: async (stage) => {
    const { quietKeys, tenantKey, serve } = await startTenancy(stage);
    const server = await serve('server');
    const owners = await quietOwners(server.url, quietKeys);
    stage.atEnd(() => owners.close());
    const scene = { stage, owners, servers: [server] };
    const target = { stage, url: server.url };
    stage.progress('placing large orders');
    for (const tenant of [READS_NOTHING, TRICKLES]) await placeLargeOrders(server.url, tenantKey(tenant), 100);
    const writer = tenantKey(WRITES);

    await playBeside(scene, unreadBundle(target, await bundlePath(server.url)));
    await playBeside(scene, unreadPages(target, tenantKey(READS_NOTHING), false));
    await playBeside(scene, unreadPages(target, tenantKey(TRICKLES), true));
    await playBeside(
      scene,
      behindClosing(target, writer, () => countOrders(server.url, writer)),
    );
    await playBeside(scene, malformed(target));
    await playBeside(scene, publicRequests(target));
  },
};
