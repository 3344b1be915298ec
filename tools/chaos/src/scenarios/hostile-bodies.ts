import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { requestText } from '@orders/system-under-test';
import { createResource } from '../hostile/create-resource.ts';
import { DEFINITION, EXPENSIVE_BODIES, type ExpensiveBody } from '../hostile/expensive-bodies.ts';
import { startFlood } from '../hostile/flood.ts';
import { MEMORY_MAX_MIB, type Outcome, playBeside, type Way } from '../hostile/play-beside.ts';
import { type HostileScene, setScene, type Tenant } from '../hostile/scene.ts';
import type { Scenario } from '../stage.ts';

/** Writes of each owner at the same time, in bursts. */
const AT_ONCE = 30;

/** Writes of an owner in a minute, of which it has placed an order, and those of each of the owners together. */
const [WRITES, WRITES_TOGETHER] = [115, 60];

export const hostileBodies: Scenario = {
  name: 'hostile-bodies',
  about: 'bodies of the largest size that are expensive to parse, to read, and to reject; of one owner, and of two',
  run: async (stage) => {
    const definition = join(stage.folder, 'orders.json');
    await writeFile(definition, JSON.stringify(DEFINITION));
    const scene = await setScene(stage, { ORDERS_DEFINITION: definition });
    for (const [index, body] of EXPENSIVE_BODIES.entries()) {
      await playBeside(scene, await bursts(scene, body.name, [body], WRITES, [scene.tenant(index)]));
    }
    const [name, together] = ['all of these of two owners', [scene.tenant(6), scene.tenant(7)]] as const;
    await playBeside(scene, await bursts(scene, name, EXPENSIVE_BODIES, WRITES_TOGETHER, together));
  },
};

/** Bodies that owners send in bursts, so many of each owner. */
async function bursts(
  { stage, server }: HostileScene,
  name: string,
  bodies: readonly ExpensiveBody[],
  writes: number,
  tenants: readonly Tenant[],
): Promise<Way> {
  const texts: string[] = [];
  for (const { apiKey } of tenants) {
    const order = await createResource(server.url, apiKey);
    for (const { body, changes = false } of bodies) {
      const target = changes
        ? ({ method: 'PATCH', path: `/v1/orders/${order}` } as const)
        : ({ method: 'POST', path: '/v1/orders' } as const);
      const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
      texts.push(requestText({ ...target, headers, body }));
    }
  }
  const { port } = server;
  const flood = { port, texts, connections: AT_ONCE * tenants.length, count: writes * tenants.length };
  return {
    name,
    start: () => startFlood(stage, flood),
    finishes: true,
    memoryMaxMib: tenants.length * MEMORY_MAX_MIB,
    fault: withoutProperResponse,
  };
}

/** Returns how many requests got no response, or one that is no result, rejection or refusal. */
function withoutProperResponse({ sent = 0, ...outcome }: Outcome): string | undefined {
  const proper = Object.entries(outcome).filter(([status]) => /^(200|201|400|413|422|429|503)$/.test(status));
  const count = proper.reduce((sum, [, times]) => sum + times, 0);
  return count === sent ? undefined : `${sent - count} of ${sent} requests got no proper response`;
}
