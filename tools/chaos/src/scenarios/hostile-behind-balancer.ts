import { playBeside } from '../hostile/hostile-play.ts';
import { bundlePath, startTenancy } from '../hostile/hostile-scene.ts';
import { placeLargeOrders } from '../hostile/large-orders.ts';
import { quietOwners } from '../hostile/quiet-owners.ts';
import { everyConnection, malformed, tunnels, unreadBundle, unreadPages } from '../hostile/ways.ts';
import { BEHIND_BALANCER, startBalancer } from '../processes/balancer.ts';
import type { Scenario } from '../scenario.ts';

const READS_NOTHING = 0;

/** `maxconn` of the balancer. */
const BALANCER_CONNECTIONS = 4000;

export const hostileBehindBalancer: Scenario = {
  name: 'hostile-behind-balancer',
  about: 'clients that read nothing, tunnel, send no HTTP, and take every connection, at the balancer',
  run: async (stage) => {
    const { quietKeys, tenantKey, serve } = await startTenancy(stage);
    const servers = [await serve('server-1', BEHIND_BALANCER), await serve('server-2', BEHIND_BALANCER)] as const;
    const { url } = await startBalancer(stage, servers);
    const owners = await quietOwners(url, quietKeys);
    stage.atEnd(() => owners.close());
    const scene = { stage, owners, servers };
    const target = { stage, url, localAddress: '127.0.0.2' };
    stage.progress('placing large orders');
    await placeLargeOrders(url, tenantKey(READS_NOTHING), 100);
    await playBeside(scene, tunnels(target));
    await playBeside(scene, unreadBundle(target, await bundlePath(url)));
    await playBeside(scene, unreadPages(target, tenantKey(READS_NOTHING), false));
    await playBeside(scene, malformed(target));
    await playBeside(scene, everyConnection(target, BALANCER_CONNECTIONS));
  },
};
