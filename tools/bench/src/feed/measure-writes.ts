import type { Client } from 'pg';
import { CASES } from '../cases/cases.ts';
import { CONNECTIONS } from '../comparison/plan.ts';
import type { Subject } from '../comparison/start-subject.ts';
import type { Load } from '../load/load.ts';
import { placeOrders } from '../load/place-orders.ts';
import { cpuTimeOfTree } from '../machine/cpu-time.ts';
import { cpuTimeOfSessions } from '../machine/session-cpu-time.ts';
import { attachReader, type Following } from './attached-reader.ts';
import { readEvents } from './feed-client.ts';
import type { FeedPlan } from './feed-plan.ts';
import type { RatioResult } from './feed-results.ts';
import { type Cost, inTurns, ratioOf } from './in-turns.ts';

/** Two servers on one database: all writes go to one, and all reads of events to the other. */
export interface WriteSite {
  readonly load: Load;
  readonly writing: Subject;
  readonly reading: Subject;
  readonly postmaster: number;
  readonly client: Client;
  readonly apiKey: string;
}

const FOLLOWINGS = ['long polls', 'a poll per second'] as const satisfies readonly Following[];

/** Measures keyed writes of an owner with a reader of its events beside those without. */
export async function measureWrites(
  site: WriteSite,
  plan: FeedPlan,
  onRound: (name: string) => void,
): Promise<readonly RatioResult[]> {
  const results: RatioResult[] = [];
  const events = { count: 0 };
  for (const name of ['create', 'cancel'] as const) {
    const turns = {
      none: () => writes(site, name, plan.writes, null, events),
      [FOLLOWINGS[0]]: () => writes(site, name, plan.writes, FOLLOWINGS[0], events),
      [FOLLOWINGS[1]]: () => writes(site, name, plan.writes, FOLLOWINGS[1], events),
    };
    await inTurns(1, turns);
    const { title } = CASES[name];
    const costs = await inTurns(plan.rounds, turns, () => onRound(title));
    for (const following of FOLLOWINGS) {
      results.push(
        ratioOf(`${title} → beside ${following}, the write`, costs('none', 'own'), costs(following, 'own'), 1.03),
        ratioOf(`${title} → beside ${following}, all`, costs('none'), costs(following), null),
      );
    }
  }
  return results;
}

/**
 * Sends writes and returns the cost of one, until the reader has received the last event. `events` counts those of the
 * owner.
 */
async function writes(
  site: WriteSite,
  name: 'create' | 'cancel',
  requests: number,
  following: Following | null,
  events: { count: number },
): Promise<Cost> {
  const { load, writing, reading, apiKey } = site;
  const targets = name === 'cancel' ? await placeOrders(writing.port, [apiKey], requests) : [];
  events.count += targets.length;
  // It begins where all events have positions, so that each turn numbers its own.
  const start = await catchUp(reading.port, apiKey);
  const reader = following === null ? null : attachReader(reading.port, apiKey, start, following);
  try {
    const before = await cpuTimes(site);
    await load.run({ case: name, port: writing.port, apiKeys: [apiKey], targets, requests, connections: CONNECTIONS });
    events.count += requests;
    await reader?.reached(events.count);
    const after = await cpuTimes(site);
    return { all: (after.all - before.all) / requests, own: (after.own - before.own) / requests };
  } finally {
    await reader?.stop();
  }
}

/** Returns the cursor at the end of the feed. */
async function catchUp(port: number, apiKey: string): Promise<string> {
  for (;;) {
    const { next, caughtUp } = await readEvents(port, apiKey, 'start=latest');
    if (caughtUp) return next;
  }
}

/** Returns CPU times in microseconds, with and without those of the second server and its sessions of PostgreSQL. */
async function cpuTimes({ writing, reading, postmaster, client }: WriteSite): Promise<Cost> {
  const sessions = await cpuTimeOfSessions(client, reading.pid);
  const shared = cpuTimeOfTree(writing.pid) + cpuTimeOfTree(postmaster);
  return { all: shared + cpuTimeOfTree(reading.pid), own: shared - sessions };
}
