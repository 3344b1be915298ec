import { setTimeout as sleep } from 'node:timers/promises';
import { CONNECTIONS } from '../comparison/plan.ts';
import type { Subject } from '../comparison/start-subject.ts';
import { quantile } from '../statistics.ts';
import { placeOrders } from '../load/place-orders.ts';
import { dueDeliveries } from './due-deliveries.ts';
import { deleteEndpoints, type NewEndpoint, registerEndpoints } from './register-endpoints.ts';
import type { FairnessResult } from './webhooks-results.ts';
import type { WebhooksPlan } from './webhooks-plan.ts';
import type { OnStep, Tenant, WebhooksSite } from './webhooks-site.ts';

/** Owners with one endpoint each, whose deliveries are timed. */
const QUIET_OWNERS = 8;

/** The writes of all quiet owners per second, and those of the owner beside them. */
const [QUIET_PACE, PACE_BESIDE] = [80, 20];

/** The events of an owner with dead endpoints when a turn begins. */
const EVENTS = 200;

/** The time in which the worker finds the deliveries of an owner, in milliseconds. */
const BEGIN_MS = 1500;

/** The time in which attempts end that were broken off, in milliseconds. */
const END_MS = 300;

/** The limit of the 99th percentile as a multiple of that in quiet turns. */
const AT_MOST = 1.2;

/** A port at which nothing listens. */
const DEAD_URL = 'http://127.0.0.1:1/refused';

/** What goes on beside the quiet owners: begins it, and returns the owner that writes beside them and the end. */
type Beside = () => Promise<{ readonly tenant: Tenant; readonly end: () => Promise<void> }>;

/** Measures deliveries of quiet owners in turns alone, beside dead endpoints, and beside many due deliveries. */
export async function measureFairness(
  site: WebhooksSite,
  { fairnessRounds, fairnessSeconds, due }: WebhooksPlan,
  onTurn: OnStep,
  { port }: Subject,
): Promise<readonly FairnessResult[]> {
  const { load, postgres, receiver } = site;
  const quiet = await site.newOwners(QUIET_OWNERS);
  for (const { apiKey } of quiet) await registerEndpoints(receiver, port, apiKey, [{}]);
  const newOwner = async () => (await site.newOwners(1))[0] ?? { owner: '', apiKey: '' };
  const alone = await newOwner();
  const busy = await newOwner();
  const backlog = await dueDeliveries(postgres.client, receiver, port, busy, due);
  await postgres.settle();

  const dead = (endpoint: () => NewEndpoint): Beside => {
    return async () => {
      const tenant = await newOwner();
      const endpoints = Array.from({ length: 10 }, endpoint);
      const ids = await registerEndpoints(receiver, port, tenant.apiKey, endpoints);
      await placeOrders(port, [tenant.apiKey], EVENTS);
      const end = async () => {
        await deleteEndpoints(port, tenant.apiKey, ids);
        await receiver.release();
      };
      return { tenant, end };
    };
  };
  const kinds: Readonly<Record<string, Beside>> = {
    'quiet owners alone': () => Promise.resolve({ tenant: alone, end: () => Promise.resolve() }),
    'beside ten endpoints that refuse': dead(() => ({ url: DEAD_URL })),
    'beside ten endpoints that hang': dead(() => ({ behaviour: 'hangs' })),
    [`beside ${due} due deliveries`]: async () => {
      await backlog.set('enabled');
      return { tenant: busy, end: () => backlog.set('disabled') };
    },
  };

  const turn = async (title: string, beside: Beside): Promise<readonly number[]> => {
    onTurn(title);
    const { tenant, end } = await beside();
    await sleep(BEGIN_MS);
    // Of ten writes, two are those of the other owner.
    const apiKeys = [...quiet, tenant, tenant].map(({ apiKey }) => apiKey);
    const perSecond = QUIET_PACE + PACE_BESIDE;
    const tens = Math.ceil((fairnessSeconds * perSecond) / apiKeys.length);
    const placing = { case: 'place', port, apiKeys, targets: [], connections: CONNECTIONS, perSecond } as const;
    await load.run({ ...placing, requests: tens * apiKeys.length });
    const { lagsMs } = await receiver.take(tens * quiet.length);
    await end();
    await sleep(END_MS);
    return lagsMs;
  };
  await turn('the first turn', kinds['quiet owners alone'] ?? dead(() => ({})));

  const turns = new Map<string, (readonly number[])[]>();
  for (let round = 0; round < fairnessRounds; round += 1) {
    const forwards = Object.entries(kinds);
    for (const [title, beside] of [...forwards, ...forwards.toReversed()]) {
      turns.set(title, [...(turns.get(title) ?? []), await turn(title, beside)]);
    }
  }
  const [quietTurns = []] = turns.values();
  // A stall of the machine makes one percent of the deliveries of a turn late, whatever runs beside them.
  const typical = (ofKind: readonly (readonly number[])[], at: number) =>
    quantile(
      ofKind.map((lagsMs) => quantile(lagsMs, at)),
      0.5,
    );
  return [...turns].map(([title, ofKind]) => {
    const [p50, p99] = [typical(ofKind, 0.5), typical(ofKind, 0.99)];
    const ratio = ofKind === quietTurns ? null : p99 / typical(quietTurns, 0.99);
    return { title, deliveries: ofKind.flat().length, p50, p99, ratio, atMost: AT_MOST };
  });
}
