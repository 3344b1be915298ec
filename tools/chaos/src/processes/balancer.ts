import { join } from 'node:path';
import type { Stage } from '../stage.ts';
import { waitFor } from '../wait.ts';
import { freePort } from './free-port.ts';
import { ensureInstalled } from './ensure-installed.ts';
import { startProgram } from './program.ts';
import type { Server } from './server.ts';

const CONFIGURATION = join(import.meta.dirname, '../../../../apps/server/deploy/haproxy/haproxy.cfg');

/** The public address of servers and balancers. */
const PUBLIC_BASE_URL = 'https://api.example.com';

/** Environment variables of servers behind the balancer. */
export const BEHIND_BALANCER = { PUBLIC_BASE_URL, TRUST_PROXY: '127.0.0.1' };

/** The balancer of `apps/server/deploy`, run natively. */
export interface Balancer {
  readonly url: string;
  /** Waits until it has noticed for the `times`th time that server number `number` is up or down. */
  notices(number: 1 | 2, state: 'UP' | 'DOWN', times: number): Promise<void>;
}

export async function startBalancer(stage: Stage, servers: readonly [Server, Server]): Promise<Balancer> {
  ensureInstalled('haproxy', 'haproxy');
  const port = await freePort();
  const [first, second] = servers.map(({ url }) => new URL(url).host);
  const env = {
    BIND: `127.0.0.1:${port}`,
    PUBLIC_BASE_URL,
    ORDERS_SERVER_1: first ?? '',
    ORDERS_SERVER_2: second ?? '',
  };
  const program = await startProgram(stage, 'balancer', {
    command: 'haproxy',
    args: ['-db', '-f', CONFIGURATION],
    env,
  });
  const url = `http://127.0.0.1:${port}`;
  await waitFor('the balancer', 10_000, async () => {
    const response = await fetch(`${url}/readyz`).catch(() => undefined);
    await response?.arrayBuffer();
    return response?.status === 200 ? true : undefined;
  });
  return {
    url,
    notices: async (number, state, times) => {
      // The balancer logs this twice, as a log line and as a warning.
      const noticed = new RegExp(`^Server repeatable/orders-${number} is ${state}`, 'gm');
      await waitFor(`the balancer to notice server ${number} ${state}`, 30_000, async () =>
        ((await program.log()).match(noticed)?.length ?? 0) >= times ? true : undefined,
      );
    },
  };
}
