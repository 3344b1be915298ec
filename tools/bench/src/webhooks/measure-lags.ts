import { CONNECTIONS } from '../comparison/plan.ts';
import type { Subject } from '../comparison/start-subject.ts';
import { quantile } from '../statistics.ts';
import { registerEndpoints } from './register-endpoints.ts';
import type { LagResult } from './webhooks-results.ts';
import type { WebhooksPlan } from './webhooks-plan.ts';
import { during, type OnStep, type WebhooksSite } from './webhooks-site.ts';

/** Owners, each with one endpoint, and the writes of all of them together per second. */
const [OWNERS, PACE] = [8, 50];

/** The limit of the 95th percentile with the worker in the writing process, in milliseconds. */
const AT_MOST_MS = 300;

/** Measures the time from an event to its delivery. */
export function lags(site: WebhooksSite, { timed }: WebhooksPlan, onStep: OnStep) {
  let keys: readonly string[] = [];
  /** Each of the owners has an endpoint after the first call. */
  const apiKeysOn = async (port: number): Promise<readonly string[]> => {
    if (keys.length > 0) return keys;
    keys = (await site.newOwners(OWNERS)).map(({ apiKey }) => apiKey);
    for (const apiKey of keys) await registerEndpoints(site.receiver, port, apiKey, [{}]);
    return keys;
  };
  return {
    /** Measures the deliveries of a worker beside a server that leaves them to it. */
    ofWorker: async ({ port }: Subject): Promise<LagResult> => {
      const apiKeys = await apiKeysOn(port);
      onStep('a worker beside the server');
      const measure = () =>
        lagsOf(site, '`orders webhooks` beside the server', port, { apiKeys, count: timed, atMost: null });
      return await during(site.work(), measure);
    },

    /** Measures the deliveries of the writing server. */
    ofServer: async ({ port }: Subject): Promise<LagResult> => {
      const apiKeys = await apiKeysOn(port);
      onStep('the writing server');
      return await lagsOf(site, 'the writing server', port, { apiKeys, count: timed, atMost: AT_MOST_MS });
    },
  };
}

async function lagsOf(
  { load, receiver }: WebhooksSite,
  title: string,
  port: number,
  {
    apiKeys,
    count,
    atMost,
  }: { readonly apiKeys: readonly string[]; readonly count: number; readonly atMost: number | null },
): Promise<LagResult> {
  const placing = { case: 'place', port, apiKeys, targets: [], connections: CONNECTIONS, perSecond: PACE } as const;
  // The first ones compile the code.
  await load.run({ ...placing, requests: apiKeys.length });
  await receiver.take(apiKeys.length);
  await load.run({ ...placing, requests: count });
  const { lagsMs } = await receiver.take(count);
  const [p50, p95, p99] = [quantile(lagsMs, 0.5), quantile(lagsMs, 0.95), quantile(lagsMs, 0.99)];
  return { title, deliveries: count, p50, p95, p99, atMost };
}
