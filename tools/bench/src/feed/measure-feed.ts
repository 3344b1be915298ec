import { randomUUIDv7 } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createOrdersClient, type OrdersClient } from '@orders/client';
import { issueKeys, openConnection, quantile, type Server, UNLIMITED } from '@orders/system-under-test';
import { type Bench, type BenchPostgres, startBenchPostgres } from '../bench.ts';
import { CASES, pairTarget, rawRequest } from '../cases/cases.ts';
import { describeRun } from '../describe-run.ts';
import type { LoadJob } from '../load/load-worker.ts';
import { placeOrders } from '../load/place-orders.ts';
import { figure, formatReport, limit, RATIO_HEADER, ratioRow, type Section } from '../report.ts';
import { both, measure } from '../subject.ts';
import { byRound, inTurns } from '../turns.ts';
import { WrongResponse } from '../wrong-response.ts';

const PLANS = {
  full: { rounds: 5, seconds: 1, warmUpSeconds: 2, wakes: 1000 },
  quick: { rounds: 1, seconds: 0.2, warmUpSeconds: 0.2, wakes: 24 },
};

/** The measurements, in the order in which they are made. */
export const FEED_CASES = ['polls', 'long polls'] as const;

type Plan = (typeof PLANS)['full'];

/** Measures the feed of events on two servers that share a database: all writes go to one. */
export async function measureFeed(bench: Bench, cases: readonly (typeof FEED_CASES)[number][]): Promise<string> {
  const plan = PLANS[bench.length];
  const postgres = await startBenchPostgres(bench);
  const env = { ...UNLIMITED, DATABASE_POOL_MAX: '10' };
  const serve = () => bench.serve({ databaseUrl: postgres.url, env });
  const servers = { writing: await serve(), reading: await serve() };
  const sections: Section[] = [];
  if (cases.includes('polls')) sections.push(await pollsSection(bench, postgres, servers.writing, plan));
  if (cases.includes('long polls')) sections.push(await longPollsSection(bench, postgres, servers, plan));
  const run = await describeRun(postgres.client);
  return formatReport(`${run}\n- ${plan.rounds} rounds`, sections);
}

/** The events of a page. */
const PAGE = 100;

/** Events of the reader: enough for several pages. */
const EVENTS = 5 * PAGE;

/** A text of a response without events, and of one with any. */
const [EMPTY, FULL] = ['"data":[]', `"position":${PAGE},`];

/** Measures polls without events and pages of events beside lookups of an order. */
async function pollsSection(bench: Bench, postgres: BenchPostgres, server: Server, plan: Plan): Promise<Section> {
  const apiKeys = await issueKeys(postgres.url, ['feed-reader']);
  const ids = await placeOrders(server.port, apiKeys, EVENTS);
  const end = `after=${await endOfFeed(clientOf(server, apiKeys[0] ?? ''))}&wait=0`;
  await postgres.client.query('vacuum analyze');
  const turns = (seconds: number) => {
    const reads = (name: LoadJob['case'], targets: readonly string[]) => () =>
      measure(bench, { server, postgres: postgres.pid }, { case: name, targets, apiKeys, seconds });
    return new Map([
      ['get', reads('get', ids)],
      ['idle poll', reads('events', [pairTarget(end, EMPTY)])],
      [`page of ${PAGE} events`, reads('events', [pairTarget(`limit=${PAGE}`, FULL)])],
      [`page of ${PAGE} events with resources`, reads('events', [pairTarget(`limit=${PAGE}&include=resource`, FULL)])],
    ]);
  };
  await inTurns(1, turns(plan.warmUpSeconds));
  const costs = await inTurns(plan.rounds, turns(plan.seconds), () => bench.progress.step('polls and pages'));
  const rows = [...turns(0).keys()].slice(1).map((name) => {
    const atMost = name === 'idle poll' ? 1.1 : null;
    return ratioRow(`get → ${name}`, byRound(costs('get'), both), byRound(costs(name), both), atMost);
  });
  return { title: '### Cost of a request to the feed', header: RATIO_HEADER, rows };
}

/** Owners that wait and write at the same time while ways to long polls are timed. */
const WAKING_OWNERS = 8;

/** The time before a write, in milliseconds: at least until the poll waits, and random, because checks are periodic. */
const [PAUSE_MS, INTERVAL_MS] = [30, 250];

/** Measures the time from the sending of a write to the end of the response to a long poll. */
async function longPollsSection(
  bench: Bench,
  { url }: BenchPostgres,
  { writing, reading }: { readonly writing: Server; readonly reading: Server },
  { wakes }: Plan,
): Promise<Section> {
  const owners = Array.from({ length: WAKING_OWNERS }, (_, owner) => `waking-${owner}`);
  const apiKeys = await issueKeys(url, owners);
  const rows: (readonly string[])[] = [];
  for (const [title, server, atMost] of [
    ['in the same process', writing, 20],
    ['from another server', reading, 300],
  ] as const) {
    bench.progress.step(`long polls ${title}`);
    const count = Math.ceil(wakes / apiKeys.length);
    const times = (await Promise.all(apiKeys.map((apiKey) => wakesOf(writing, server, apiKey, count)))).flat();
    const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
    rows.push([title, `${times.length}`, figure(p50), figure(p99), ...limit(p99, atMost)]);
  }
  const title = '### From a write to the response to a long poll';
  return { title, header: ['', 'writes', 'p50 ms', 'p99 ms', 'p99 at most', ''], rows };
}

async function wakesOf(writing: Server, reading: Server, apiKey: string, count: number): Promise<readonly number[]> {
  const connection = await openConnection(writing.port);
  const times: number[] = [];
  const client = clientOf(reading, apiKey);
  const pages = client.events.followPages({ after: await endOfFeed(client) })[Symbol.asyncIterator]();
  // The first ones compile the code.
  for (let n = -2; n < count; n += 1) {
    const polled = pages.next().then(({ done, value }) => ({
      found: done === true ? 0 : value.data.length,
      at: performance.now(),
    }));
    await sleep(PAUSE_MS + Math.random() * INTERVAL_MS);
    const sentAt = performance.now();
    const written = connection.exchange(rawRequest(CASES.create, randomUUIDv7(), apiKey));
    const [{ status }, { found, at }] = await Promise.all([written, polled]);
    if (status !== 201 || found !== 1 || at < sentAt) {
      throw new WrongResponse(`a long poll returned ${found} events beside a write with ${status}`);
    }
    if (n >= 0) times.push(at - sentAt);
  }
  connection.close();
  return times;
}

function clientOf({ url }: Server, apiKey: string): OrdersClient {
  return createOrdersClient({ baseUrl: url, credentials: { apiKey } });
}

/** Returns the cursor behind the last event of the feed, once all events have positions. */
async function endOfFeed({ events }: OrdersClient): Promise<string> {
  for (;;) {
    const { next_cursor, caught_up } = (await events.page({ start: 'latest' }))._unsafeUnwrap();
    if (caught_up) return next_cursor;
  }
}
