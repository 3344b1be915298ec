import { playBeside } from '../hostile/hostile-play.ts';
import { startTenancy, tenantOwner } from '../hostile/hostile-scene.ts';
import { lookingUpAt, startNameServer } from '../hostile/many-addresses.ts';
import { quietDeliveries } from '../hostile/quiet-deliveries.ts';
import { quietOwners } from '../hostile/quiet-owners.ts';
import { WEBHOOK_SETTINGS, webhookOwner } from '../hostile/webhook-owner.ts';
import { badEndpoints, dueDeliveries, endlessResponses, testsAndRedeliveries } from '../hostile/webhook-ways.ts';
import type { Scenario } from '../scenario.ts';

const [BAD_ENDPOINTS, LOOPS, DUE, ENDLESS] = [0, 1, 2, 3];

/** Events for a dead endpoint. */
const EVENTS = 100_000;

export const hostileReceivers: Scenario = {
  name: 'hostile-receivers',
  about: `webhooks that hang, drip and reset, loops, ${EVENTS} due deliveries, 6,300 addresses, and endless responses`,
  run: async (stage) => {
    const { postgres, quietKeys, tenantKey, serve } = await startTenancy(stage);
    const nameServer = await startNameServer(stage);
    const server = await serve('server', { ...WEBHOOK_SETTINGS, ...lookingUpAt(nameServer.address) });
    const owners = await quietOwners(server.url, quietKeys);
    stage.atEnd(() => owners.close());
    const deliveries = await quietDeliveries(stage, server.url, postgres.url, quietKeys);
    const scene = { stage, owners, servers: [server], deliveries };
    const attacker = (tenant: number) => {
      const owner = webhookOwner(stage, server.url, tenantKey(tenant));
      return { stage, databaseUrl: postgres.url, name: tenantOwner(tenant), owner };
    };
    await playBeside(scene, await badEndpoints(attacker(BAD_ENDPOINTS)));
    await playBeside(scene, await testsAndRedeliveries(attacker(LOOPS)));
    stage.progress('writing events');
    await playBeside(scene, await dueDeliveries(attacker(DUE), EVENTS));
    await playBeside(scene, await endlessResponses(attacker(ENDLESS), nameServer));
  },
};
