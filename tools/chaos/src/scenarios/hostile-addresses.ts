import { playBeside, type Way, wayOf } from '../hostile/hostile-play.ts';
import { startTenancy } from '../hostile/hostile-scene.ts';
import { quietOwners } from '../hostile/quiet-owners.ts';
import { guesses, guessesOfNetworks, type Target } from '../hostile/ways.ts';
import type { Scenario } from '../scenario.ts';
import type { Stage } from '../stage.ts';

/** More than any number of windows that a server could count in altogether. */
const NETWORKS = 110_000;

/** Reads of an owner in a minute, as shipped. */
const READS = 600;

export const hostileAddresses: Scenario = {
  name: 'hostile-addresses',
  about: `${NETWORKS} refusals of as many networks, and guesses of keys with and without budget`,
  run: async (stage) => {
    const { quietKeys, tenantKey, serve } = await startTenancy(stage);
    const server = await serve('server', { TRUST_PROXY: '127.0.0.1' });
    // All behind the address that guesses keys, too.
    const owners = await quietOwners(server.url, quietKeys);
    stage.atEnd(() => owners.close());
    const scene = { stage, owners, servers: [server] };
    const target = { stage, url: server.url };
    await playBeside(scene, refusalsOfNetworks(target, await exhaust(stage, server.url, tenantKey(0))));
    await playBeside(scene, guesses(target));
    await playBeside(scene, guessesOfNetworks(target));
  },
};

/** Uses up the reads of an owner; returns a check that none is left, while its minute lasts. */
async function exhaust(stage: Stage, url: string, apiKey: string): Promise<() => Promise<string | undefined>> {
  const read = async () => {
    const response = await fetch(`${url}/v1/orders?limit=1`, { headers: { 'x-api-key': apiKey } });
    await response.arrayBuffer();
    return response.status;
  };
  stage.progress('using up the reads of an owner');
  const begun = performance.now();
  for (let sent = 0; sent < READS; sent += 1) await read();
  return async () => {
    const status = await read();
    if (performance.now() - begun > 59_000) return 'the minute ended before the check';
    return status === 429 ? undefined : `an owner without reads left got ${status}: its window was reset`;
  };
}

/** Requests without credentials, each of another /64 network. */
function refusalsOfNetworks({ stage, url }: Target, check: () => Promise<string | undefined>): Way {
  const attack = {
    kind: 'flood',
    port: Number(new URL(url).port),
    requests: { of: 'networks' },
    connections: 4,
    depth: 8,
    count: NETWORKS,
  } as const;
  return wayOf(stage, `refusals of ${NETWORKS} networks`, attack, { finishes: true, fault: check });
}
