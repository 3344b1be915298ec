import { Agent } from 'node:http';
import { makeApiKey } from '../api-key.ts';
import { followFeeds } from '../feed/follow-feeds.ts';
import { type HttpResponse, exchange, type Request } from '../load/exchange.ts';
import type { Ledger } from '../load/ledger.ts';
import { type Load, startLoad } from '../load/load.ts';
import { orderBody } from '../load/order-model.ts';
import { settle } from '../load/settle.ts';
import { walk } from '../load/walk.ts';
import { query, startPostgres } from '../processes/postgres.ts';
import { type Server, startServer } from '../processes/server.ts';
import type { Scenario } from '../scenario.ts';
import type { Stage } from '../stage.ts';
import { waitFor } from '../wait.ts';
import { receiveWebhooks, WITH_WEBHOOKS } from '../webhooks/receive-webhooks.ts';

/** By more than a day, for which idempotency keys are kept. */
const APART_MS = 25 * 60 * 60 * 1000;

/** The environment of a server whose clock is set ahead once it runs. */
const AHEAD = {
  NODE_OPTIONS: `--import=${import.meta.resolve('../processes/clock-ahead.ts')}`,
  CLOCK_AHEAD_MS: `${APART_MS}`,
  ...WITH_WEBHOOKS,
};

/** So small that others write between two pages of a walk. */
const PAGE = 10;

const ITEM = { sku: 'SKU-1', quantity: 1, amount: 100 };

/** How often each walker walks at least. */
const WALKS = 5;

/** Events that are said to have happened before one of an earlier version. */
const BACKWARDS = `
  select aggregate_id from (
    select aggregate_id, occurred_at, lag(occurred_at) over (
      partition by owner_id, aggregate, aggregate_id order by version
    ) as before from orders.changes
  ) as events where occurred_at < before`;

export const clocksApart: Scenario = {
  name: 'clocks-apart',
  about: 'the clock of one of two servers set 25 hours ahead',
  run: async (stage) => {
    const postgres = await startPostgres(stage);
    const apiKey = await makeApiKey(postgres.url);
    const servers = await Promise.all([
      startServer(stage, 'server-1', postgres.url, WITH_WEBHOOKS),
      startServer(stage, 'server-2', postgres.url, AHEAD),
    ]);
    process.kill(servers[1].pid(), 'SIGUSR2');
    const urls = servers.map(({ url }) => url);
    const apiKeys = [apiKey];
    const webhooks = await receiveWebhooks(stage, { urls, apiKeys, checksTime: false, once: true });
    const load = await startLoad(stage, { urls, apiKeys });
    // They see all events, but those of the clock that is behind possibly later.
    const followers = followFeeds(stage, load, { urls, apiKeys, readsOwnWrites: false });
    await load.carryOut(Math.floor(stage.operations / 4));
    const walks = ['created_at', '-created_at'].map((sort) => walkOn(stage, load, urls, apiKey, sort));
    const [, ...counts] = await Promise.all([writeOn(stage, load), ...walks]);
    await settle(stage, load, postgres.url);
    await followers.finish();
    await webhooks.finish(load);
    stage.figure('walks', counts.join(' and '));
    const least = Math.min(...counts);
    stage.holds(least >= WALKS, `${WALKS} walks in each direction`, least);
    const backwards = await query(postgres.url, BACKWARDS);
    stage.holds(backwards.length === 0, 'no time of an order runs backwards', JSON.stringify(backwards.slice(0, 3)));
    const [{ spread } = { spread: 0 }] = await query(
      postgres.url,
      'select extract(epoch from max(created_at) - min(created_at))::int as spread from orders.orders',
    );
    stage.figure('orders created within', `${Number(spread)} s`);
    stage.holds(Number(spread) > (0.9 * APART_MS) / 1000, 'orders of both clocks', `${Number(spread)} s apart`);
    await retryAhead(stage, servers, apiKey);
  },
};

/** Retries a placing at the server that calls the record of its key expired. */
async function retryAhead(stage: Stage, servers: readonly [Server, Server], apiKey: string): Promise<void> {
  const agent = new Agent();
  const headers = { 'x-api-key': apiKey, 'idempotency-key': 'retried-ahead' };
  const place: Request = { method: 'POST', path: '/v1/orders', headers, body: orderBody([ITEM], {}) };
  const [first, retried] = [
    await exchange(agent, servers[0].url, place, 20_000),
    await exchange(agent, servers[1].url, place, 20_000),
  ];
  agent.destroy();
  const isReplayed =
    !('broken' in first) &&
    !('broken' in retried) &&
    first.status === 201 &&
    retried.headers['idempotent-replayed'] === 'true' &&
    first.text === retried.text;
  stage.holds(isReplayed, 'a retry at the server ahead is replayed', JSON.stringify([first, retried]));
  stage.figure('retry ahead', isReplayed ? 'replayed' : 'NOT REPLAYED');
}

/** Has clients go on bit by bit, so that there are changes for as long as there are walks. */
async function writeOn(stage: Stage, load: Load): Promise<number> {
  while (load.done() < stage.operations && load.failure() === undefined) {
    await load.carryOut(Math.min(10, stage.operations - load.done()));
    stage.progress(`${load.done()} operations`);
  }
  return load.done();
}

/**
 * Repeatedly walks through all orders while clients write, each page from the other server. Returns the number of
 * walks.
 */
async function walkOn(
  stage: Stage,
  load: Load,
  urls: readonly string[],
  apiKey: string,
  sort: string,
): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  let [turn, walked] = [0, 0];
  const send = async (request: Request): Promise<HttpResponse> => {
    const url = urls[(turn += 1) % urls.length] ?? '';
    const exchanged = await exchange(agent, url, { ...request, headers: { 'x-api-key': apiKey } }, 20_000);
    if ('broken' in exchanged) throw new Error(`${request.path}: ${exchanged.broken}`);
    return exchanged;
  };
  while (load.done() < stage.operations && load.failure() === undefined) {
    const before = orderIds(load.ledger);
    const shown = await walk(send, sort, PAGE);
    if ('response' in shown) throw new Error(`${shown.response.status} to a walk: ${shown.response.text}`);
    const ids = shown.orders.map(({ id }) => id);
    const found = new Set(ids);
    stage.holds(found.size === ids.length, 'no walk shows an order twice', `${sort}: ${ids.length - found.size} twice`);
    await areGone(
      stage,
      load.ledger,
      sort,
      [...before].filter((id) => !found.has(id)),
    );
    walked += 1;
  }
  agent.destroy();
  return walked;
}

/** An order that a walk does not show was deleted meanwhile, although its client may be yet to hear of it. */
async function areGone(stage: Stage, ledger: Ledger, sort: string, ids: readonly string[]): Promise<void> {
  const there = () => ids.filter((id) => ledger.live.has(id));
  await waitFor('deletions', 5000, () => (there().length === 0 ? true : undefined)).catch(() => undefined);
  stage.holds(there().length === 0, 'no walk skips an order', `${sort}: ${there().join(', ')}`);
}

function orderIds({ live }: Ledger): ReadonlySet<string> {
  return new Set([...live.values()].flatMap((resource) => ('items' in resource ? resource.id : [])));
}
