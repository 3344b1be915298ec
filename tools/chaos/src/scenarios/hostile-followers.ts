import { playBeside, type Way } from '../hostile/hostile-play.ts';
import { startTenancy, tenantOwner } from '../hostile/hostile-scene.ts';
import { placeLargeOrders } from '../hostile/large-orders.ts';
import { quietOwners } from '../hostile/quiet-owners.ts';
import { requestText } from '../hostile/request-text.ts';
import { abandonedWaits, requestsInTurn, type Target, unreadEvents, waits } from '../hostile/ways.ts';
import { writeEvents } from '../hostile/write-events.ts';
import type { Scenario } from '../scenario.ts';

const [WAITS, ABANDONS, BACKLOG, READS_NOTHING] = [0, 1, 2, 3];

/** Events without positions. A read gives positions to 5,000 of them. */
const [EVENTS, EVENTS_FULL] = [200_000, 1_000_000];

/** Reads within the limit of an owner, and how many of them run at the same time. */
const [READS_MAX, AT_ONCE] = [580, 40];

export const hostileFollowers: Scenario = {
  name: 'hostile-followers',
  about: 'owners that wait for events everywhere, read a huge backlog from its start, and read no page of events',
  run: async (stage) => {
    const { postgres, quietKeys, tenantKey, serve } = await startTenancy(stage);
    const server = await serve('server');
    const owners = await quietOwners(server.url, quietKeys, { readEvents: true });
    stage.atEnd(() => owners.close());
    const scene = { stage, owners, servers: [server] };
    const target = { stage, url: server.url };
    await playBeside(scene, waits(target, tenantKey(WAITS)));
    await playBeside(scene, abandonedWaits(target, tenantKey(ABANDONS)));
    stage.progress('writing a backlog');
    await writeEvents(postgres.url, tenantOwner(BACKLOG), stage.full ? EVENTS_FULL : EVENTS);
    await playBeside(scene, readsOfBacklog(target, tenantKey(BACKLOG)));
    stage.progress('placing large orders');
    await placeLargeOrders(server.url, tenantKey(READS_NOTHING), 100);
    await playBeside(scene, unreadEvents(target, tenantKey(READS_NOTHING)));
  },
};

/** Reads from the oldest event on, those of a type that does not occur, and the latest place. Each gives positions. */
function readsOfBacklog(target: Target, apiKey: string): Way {
  const paths = [
    '/v1/events?limit=100',
    '/v1/events?limit=100&types=customer.deleted',
    '/v1/events?start=latest',
    '/v1/events?limit=100&include=resource',
  ];
  const texts = paths.map((path) => requestText({ path, apiKey }));
  return requestsInTurn(target, 'a backlog read from its start', texts, { connections: AT_ONCE, count: READS_MAX });
}
