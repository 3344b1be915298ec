import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, type Server, startProgram, waitFor } from '@orders/system-under-test';
import type { Stage } from './stage.ts';

const CONFIGURATION = join(import.meta.dirname, '../../../apps/server/deploy/haproxy/haproxy.cfg');

/** The public address of servers and balancers. */
const PUBLIC_BASE_URL = 'https://api.example.com';

/** Environment variables of servers behind the balancer. */
export const BEHIND_BALANCER = { PUBLIC_BASE_URL, TRUST_PROXY: '127.0.0.1' };

/** The balancer of `deploy/`, run by the HAProxy of the machine. */
export interface Balancer {
  readonly url: string;
  /** Waits until it has noticed for the `times`th time that server number `number` is up or down. */
  notices(number: 1 | 2, state: 'UP' | 'DOWN', times: number): Promise<void>;
}

export async function startBalancer(stage: Stage, servers: readonly [Server, Server]): Promise<Balancer> {
  const port = await freePort();
  const [first, second] = servers.map(({ url }) => new URL(url).host);
  const env = {
    BIND: `127.0.0.1:${port}`,
    PUBLIC_BASE_URL,
    ORDERS_SERVER_1: first ?? '',
    ORDERS_SERVER_2: second ?? '',
  };
  const logFile = join(stage.folder, 'balancer.log');
  const program = await startProgram('haproxy', ['-db', '-f', CONFIGURATION], { env, logFile });
  stage.atEnd(async () => {
    program.signal('SIGKILL');
    await program.ended;
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
        ((await readFile(logFile, 'utf8')).match(noticed)?.length ?? 0) >= times ? true : undefined,
      );
    },
  };
}
