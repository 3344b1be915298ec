import { randomUUIDv7 } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CASES } from '../cases/cases.ts';
import { WrongResponse } from '../cases/wrong-response.ts';
import { quantile } from '../statistics.ts';
import { openConnection, rawRequest } from '../load/connection.ts';
import { endOfFeed, readEvents } from './feed-client.ts';
import type { WakeResult } from './feed-results.ts';

/** The time before a write, in milliseconds: at least until the poll waits, and random, because checks are periodic. */
const PAUSE_MS = 30;
const INTERVAL_MS = 250;

/** Measures the time from the sending of a write to the end of the response to a long poll, for several owners at once. */
export async function measureWakes(
  title: string,
  ports: { readonly writing: number; readonly reading: number },
  apiKeys: readonly string[],
  count: number,
  atMost: number,
): Promise<WakeResult> {
  const times = await Promise.all(apiKeys.map((apiKey) => wakesOf(ports, apiKey, Math.ceil(count / apiKeys.length))));
  const all = times.flat();
  return { title, count: all.length, p50: quantile(all, 0.5), p99: quantile(all, 0.99), atMost };
}

async function wakesOf(
  { writing, reading }: { readonly writing: number; readonly reading: number },
  apiKey: string,
  count: number,
): Promise<readonly number[]> {
  const connection = await openConnection(writing);
  const times: number[] = [];
  let cursor = await endOfFeed(reading, apiKey);
  // The first ones compile the code.
  for (let n = -2; n < count; n += 1) {
    const polled = readEvents(reading, apiKey, `after=${cursor}&wait=20`).then((page) => ({
      page,
      at: performance.now(),
    }));
    await sleep(PAUSE_MS + Math.random() * INTERVAL_MS);
    const sentAt = performance.now();
    const [{ status }, { page, at }] = await Promise.all([
      connection.exchange(rawRequest(CASES.create, randomUUIDv7(), writing, apiKey)),
      polled,
    ]);
    if (status !== 201 || page.positions.length !== 1 || at < sentAt) {
      throw new WrongResponse(`a long poll returned ${page.positions.length} events beside a write with ${status}`);
    }
    cursor = page.next;
    if (n >= 0) times.push(at - sentAt);
  }
  connection.close();
  return times;
}
