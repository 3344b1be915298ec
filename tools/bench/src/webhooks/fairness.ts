import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '@orders/system-under-test';
import { placeOrders } from '../load/place-orders.ts';
import { figure, limit, median, type Section } from '../report.ts';
import { inTurns } from '../turns.ts';
import {
  deleteEndpoints,
  dueDeliveries,
  type NewEndpoint,
  newOwners,
  newReceivers,
  registerEndpoints,
  type Tenant,
  type WebhooksBench,
  writeOrders,
} from './webhook-owners.ts';

/** Owners with one endpoint each, whose deliveries are timed. */
const QUIET_OWNERS = 8;

/** The writes of all quiet owners per second, and those of the owner beside them. */
const [QUIET_PACE, PACE_BESIDE] = [80, 20];

/** The events of an owner with dead endpoints when a turn begins. */
const EVENTS = 200;

/** The time in which the worker finds the deliveries of an owner, and that in which broken attempts end, in milliseconds. */
const [BEGIN_MS, END_MS] = [1500, 300];

/** The limit of the 99th percentile as a multiple of that in quiet turns. */
const AT_MOST = 1.2;

/** A port at which nothing listens. */
const DEAD_URL = 'http://127.0.0.1:1/refused';

/** What goes on beside the quiet owners: begins it, and returns the owner that writes beside them and the end. */
type Beside = () => Promise<{ readonly tenant: Tenant; readonly end: () => Promise<void> }>;

const ALONE = 'quiet owners alone';

/** Measures deliveries of quiet owners in turns alone, beside dead endpoints, and beside many due deliveries. */
export async function fairnessSection(
  webhooks: WebhooksBench,
  { rounds, seconds, due }: { readonly rounds: number; readonly seconds: number; readonly due: number },
): Promise<Section> {
  const { bench, postgres, receiver, server } = webhooks;
  const quiet = await newReceivers(webhooks, QUIET_OWNERS);
  const newOwner = async () => (await newOwners(webhooks, 1))[0] ?? { owner: '', apiKey: '' };
  const [alone, busy] = [await newOwner(), await newOwner()];
  const setBacklog = await dueDeliveries(webhooks, busy, due);
  await postgres.client.query('vacuum analyze');

  const dead = (endpoint: NewEndpoint): Beside => {
    return async () => {
      const tenant = await newOwner();
      const endpoints = Array.from({ length: 10 }, () => endpoint);
      const ids = await registerEndpoints(webhooks, tenant.apiKey, endpoints);
      await placeOrders(server.port, [tenant.apiKey], EVENTS);
      const end = async () => {
        await deleteEndpoints(webhooks, tenant.apiKey, ids);
        receiver.release();
      };
      return { tenant, end };
    };
  };
  const turn = async (title: string, beside: Beside): Promise<readonly number[]> => {
    bench.progress.step(title);
    const { tenant, end } = await beside();
    await sleep(BEGIN_MS);
    // Of ten writes, two are those of the other owner.
    const apiKeys = [...quiet, tenant.apiKey, tenant.apiKey];
    const perSecond = QUIET_PACE + PACE_BESIDE;
    const tens = Math.ceil((seconds * perSecond) / apiKeys.length);
    await writeOrders(webhooks, apiKeys, { requests: tens * apiKeys.length, perSecond });
    const { lagsMs } = await receiver.take(tens * quiet.length);
    await end();
    await sleep(END_MS);
    return lagsMs;
  };
  const kinds: readonly (readonly [string, Beside])[] = [
    [ALONE, () => Promise.resolve({ tenant: alone, end: () => Promise.resolve() })],
    ['beside ten endpoints that refuse', dead({ url: DEAD_URL })],
    ['beside ten endpoints that hang', dead({ behaviour: 'hangs' })],
    [
      `beside ${due} due deliveries`,
      async () => {
        await setBacklog('enabled');
        return { tenant: busy, end: () => setBacklog('disabled') };
      },
    ],
  ];
  const turns = new Map(kinds.map(([title, beside]) => [title, () => turn(title, beside)]));
  await turns.get(ALONE)?.();
  const lags = await inTurns(rounds, turns);
  // A stall of the machine makes one percent of the deliveries of a turn late, whatever runs beside them.
  const typical = (title: string, at: number) =>
    median(
      lags(title)
        .flat()
        .map((lagsMs) => quantile(lagsMs, at)),
    );
  const rows = kinds.map(([title]) => {
    const count = lags(title).flat(2).length;
    const [p50, p99] = [typical(title, 0.5), typical(title, 0.99)];
    const ratio = p99 / typical(ALONE, 0.99);
    const compared = title === ALONE ? ['', '', ''] : [figure(ratio), ...limit(ratio, AT_MOST)];
    return [title, `${count}`, figure(p50), figure(p99), ...compared];
  });
  const header = ['', 'deliveries', 'p50 ms', 'p99 ms', 'ratio of p99', 'at most', ''];
  return { title: '### Owners beside others', header, rows };
}
