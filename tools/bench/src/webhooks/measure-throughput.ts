import { quantile } from '../statistics.ts';
import { CONNECTIONS } from '../comparison/plan.ts';
import type { Subject } from '../comparison/start-subject.ts';
import { cpuTimeOfTree } from '../machine/cpu-time.ts';
import { registerEndpoints } from './register-endpoints.ts';
import type { ThroughputResult } from './webhooks-results.ts';
import type { WebhooksPlan } from './webhooks-plan.ts';
import type { OnStep, WebhooksSite } from './webhooks-site.ts';

/** Owners, each with one endpoint. */
const OWNERS = 16;

/** The least accepted deliveries per second. */
const AT_LEAST = 500;

/** The pace of the writes whose deliveries must keep up, a little above the limit. */
const PACE = 550;

/** The share of deliveries at the beginning and at the end that does not count, while the worker starts and ends. */
const EDGE = 0.05;

/** Measures how many deliveries per second a server makes. */
export function throughput(site: WebhooksSite, { backlog, steadySeconds }: WebhooksPlan, onStep: OnStep) {
  const { load, receiver, postgres } = site;
  const placing = { case: 'place', targets: [], connections: CONNECTIONS } as const;
  let apiKeys: readonly string[] = [];
  return {
    /** Registers endpoints and writes what is due when the next server starts. */
    beforehand: async ({ port }: Subject): Promise<void> => {
      onStep('a backlog');
      apiKeys = (await site.newOwners(OWNERS)).map(({ apiKey }) => apiKey);
      for (const apiKey of apiKeys) await registerEndpoints(receiver, port, apiKey, [{}]);
      await load.run({ ...placing, port, apiKeys, requests: backlog });
    },

    /** Measures a server that has just started, from the backlog and of the events that it writes meanwhile. */
    measure: async (server: Subject): Promise<readonly ThroughputResult[]> => {
      const emptied = await deliveries(site, server, 'from a backlog', () => Promise.resolve(backlog));
      await postgres.settle();
      onStep('writes and deliveries');
      const write = async () => {
        const job = { ...placing, port: server.port, apiKeys, seconds: steadySeconds, perSecond: PACE };
        return (await load.run(job)).requests;
      };
      return [emptied, await deliveries(site, server, `beside ${PACE} writes/s`, write)];
    },
  };
}

/** Measures the deliveries of `begin`, which returns their number. */
async function deliveries(
  { receiver, postgres }: WebhooksSite,
  { pid }: Subject,
  title: string,
  begin: () => Promise<number>,
): Promise<ThroughputResult> {
  const before = [cpuTimeOfTree(pid), cpuTimeOfTree(postgres.postmaster)] as const;
  const count = await begin();
  const { arrivedAt } = await receiver.take(count);
  const after = [cpuTimeOfTree(pid), cpuTimeOfTree(postgres.postmaster)] as const;
  const [first, last] = [quantile(arrivedAt, EDGE), quantile(arrivedAt, 1 - EDGE)];
  return {
    title,
    deliveries: count,
    perSecond: ((1 - 2 * EDGE) * count * 1000) / (last - first),
    server: (after[0] - before[0]) / count,
    postgres: (after[1] - before[1]) / count,
    atLeast: AT_LEAST,
  };
}
