import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { CONNECTIONS } from '../comparison/plan.ts';
import type { Subject } from '../comparison/start-subject.ts';
import type { RatioResult } from '../feed/feed-results.ts';
import { type Cost, inTurns, ratioOf } from '../feed/in-turns.ts';
import { placeOrders } from '../load/place-orders.ts';
import { cpuTimeOfTree } from '../machine/cpu-time.ts';
import { deleteEndpoints, registerEndpoints, send } from './register-endpoints.ts';
import type { WebhooksPlan } from './webhooks-plan.ts';
import type { OnStep, Tenant, WebhooksSite } from './webhooks-site.ts';

const ENDPOINTS = Array.from({ length: 10 }, () => ({}));

/** An event that no measured write makes. */
const OTHER_TYPES = ENDPOINTS.map(() => ({ types: ['order.cancelled'] }));

/** The limit of a write's cost with ten endpoints as a multiple of that with none. */
const AT_MOST = 1.03;

const TITLES = { create: 'create with key', place: 'create' } as const;
const NAMES = ['create', 'place'] as const;

type Name = (typeof NAMES)[number];

/** An owner without endpoints, and one with ten. */
interface Pair {
  readonly none: Tenant;
  readonly ten: Tenant;
}

/** Measures writes of an owner with ten endpoints beside those of an owner with none, in one server. */
export function writeCosts(site: WebhooksSite, plan: WebhooksPlan, onStep: OnStep) {
  const compare = async (title: string, pair: Pair, name: Name, turnOf: (tenant: Tenant) => Promise<Cost>) => {
    const turns = { none: () => turnOf(pair.none), ten: () => turnOf(pair.ten) };
    await inTurns(1, turns);
    const costs = await inTurns(plan.rounds, turns, () => onStep(title));
    return (atMost: number | null) => ratioOf(`${TITLES[name]}, ${title}`, costs('none'), costs('ten'), atMost);
  };
  return {
    /** Measures a server that leaves deliveries to others, while there are no others. */
    ofServerAlone: async (server: Subject): Promise<readonly RatioResult[]> => {
      const pair = await newPair(site);
      const { apiKey } = pair.ten;
      const ids = await registerEndpoints(site.receiver, server.port, apiKey, ENDPOINTS);
      const results: RatioResult[] = [];
      for (const name of NAMES) {
        const turnOf = (tenant: Tenant) => costOf(site, server, plan.writes, name, tenant);
        results.push((await compare('no worker', pair, name, turnOf))(AT_MOST));
      }
      await deleteEndpoints(server.port, apiKey, ids);
      return results;
    },

    /** Measures a server with a worker, without the work for deliveries and with it. */
    besideWorker: async (server: Subject): Promise<readonly RatioResult[]> => {
      const pair = await newPair(site);
      await registerEndpoints(site.receiver, server.port, pair.ten.apiKey, OTHER_TYPES);
      await makeActive(site, server, pair.ten);
      const results: RatioResult[] = [];
      for (const name of NAMES) {
        const turnOf = async (tenant: Tenant) => {
          const cost = await withoutDeliveries(site, () => costOf(site, server, plan.writes, name, tenant));
          await caughtUp(site, tenant);
          return cost;
        };
        results.push((await compare('worker in the process, the write', pair, name, turnOf))(AT_MOST));
      }
      const all = (tenant: Tenant) => costOf(site, server, plan.writes, 'create', tenant, () => caughtUp(site, tenant));
      results.push((await compare('worker in the process, all', pair, 'create', all))(null));
      return results;
    },
  };
}

async function newPair(site: WebhooksSite): Promise<Pair> {
  const [none, ten] = await site.newOwners(2);
  if (!none || !ten) throw new Error('an owner is missing');
  return { none, ten };
}

/** Delivers an event to each endpoint. Writes of an owner without any deliveries soon wake the worker no more. */
async function makeActive({ receiver }: WebhooksSite, { port }: Subject, { apiKey }: Tenant): Promise<void> {
  const [id = ''] = await placeOrders(port, [apiKey], 1);
  await send(port, apiKey, { method: 'POST', path: `/v1/orders/${id}/cancel`, status: 200 });
  await receiver.take(OTHER_TYPES.length);
}

/** Sends writes and returns the CPU time of one, until `end` is reached. */
async function costOf(
  { load, postgres }: WebhooksSite,
  { port, pid }: Subject,
  requests: number,
  name: Name,
  { apiKey }: Tenant,
  end: () => Promise<void> = () => Promise.resolve(),
): Promise<Cost> {
  const { rows } = await postgres.client.query<{ readonly pid: number }>('select pg_backend_pid() as pid');
  const [own = { pid: 0 }] = rows;
  const cpuTime = () => cpuTimeOfTree(pid) + cpuTimeOfTree(postgres.postmaster) - cpuTimeOfTree(own.pid);
  const before = cpuTime();
  await load.run({ case: name, port, apiKeys: [apiKey], targets: [], requests, connections: CONNECTIONS });
  await end();
  const all = (cpuTime() - before) / requests;
  return { all, own: all };
}

/**
 * Runs `work` while every statement of a worker waits for a lock. A write wakes the worker as always; what follows is the
 * cost of deliveries, and happens afterwards. A write that used the queue would wait, too, and exceed its time.
 */
async function withoutDeliveries<T>({ postgres }: WebhooksSite, work: () => Promise<T>): Promise<T> {
  const holder = new Client({ connectionString: postgres.url });
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query('lock table orders.webhook_queues in access exclusive mode');
    return await work();
  } finally {
    await holder.end();
  }
}

/** Waits until the worker has read all events of an owner for its endpoints. */
async function caughtUp({ postgres }: WebhooksSite, { owner }: Tenant): Promise<void> {
  const isBehind = async () => {
    const { rows } = await postgres.client.query(
      `select from orders.webhook_queues as q
       where q.owner_id = $1 and (q.position < (select max(position) from orders.changes where owner_id = $1)
         or exists (select from orders.changes where owner_id = $1 and position is null and type is not null))`,
      [owner],
    );
    return rows.length > 0;
  };
  while (await isBehind()) await sleep(20);
}
