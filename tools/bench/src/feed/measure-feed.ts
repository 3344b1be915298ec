import type { Progress } from '../comparison/progress.ts';
import { startSubject, type Subject } from '../comparison/start-subject.ts';
import { SUBJECTS } from '../comparison/subjects.ts';
import { startBenchDatabase } from '../database/bench-database.ts';
import { startLoad } from '../load/load.ts';
import { describeRun } from '../machine/describe.ts';
import type { FeedCase, FeedPlan } from './feed-plan.ts';
import type { FeedResults, RatioResult, WaitersResult, WakeResult } from './feed-results.ts';
import { measureHeld } from './measure-held.ts';
import { measurePolls } from './measure-polls.ts';
import { measureWaiters } from './measure-waiters.ts';
import { measureWakes } from './measure-wakes.ts';
import { measureWrites } from './measure-writes.ts';

/** Owners that wait and write at the same time while ways to long polls are timed. */
const WAKING_OWNERS = 8;

const SAME_MS = 20;
const OTHER_MS = 300;

/** Measures the feed of events on two servers that share a database. */
export async function measureFeed(
  plan: FeedPlan,
  cases: readonly FeedCase[],
  progress: Progress,
): Promise<FeedResults> {
  const postgres = await startBenchDatabase();
  const load = startLoad();
  const started: Subject[] = [];
  const { client, postmaster } = postgres;
  try {
    const keyOf = (owner: string) => postgres.issueKey(owner);
    const apiKey = await keyOf('feed-reader');
    const start = async (): Promise<Subject> => {
      const subject = await startSubject(SUBJECTS.orders, postgres.url, { path: '/v1/orders', apiKey });
      started.push(subject);
      return subject;
    };
    const writing = await start();
    const reading = await start();
    progress.begin(plan.rounds * 3 + 4);
    const settle = () => postgres.settle();
    const ratios: RatioResult[] = [];
    const wakes: WakeResult[] = [];
    const waiters: WaitersResult[] = [];
    const measure: Readonly<Record<FeedCase, () => Promise<void>>> = {
      polls: async () => {
        const site = { load, subject: writing, postmaster, apiKey, settle };
        ratios.push(...(await measurePolls(site, plan, () => progress.step('polls and pages'))));
      },
      writes: async () => {
        const site = { load, writing, reading, postmaster, client, apiKey: await keyOf('feed-writer') };
        ratios.push(...(await measureWrites(site, plan, (title) => progress.step(title))));
        await settle();
      },
      'long polls': async () => {
        progress.step('ways to long polls');
        const keys = await Promise.all(Array.from({ length: WAKING_OWNERS }, (_, owner) => keyOf(`waking-${owner}`)));
        for (const [title, { port }, atMost] of [
          ['in the same process', writing, SAME_MS],
          ['from another server', reading, OTHER_MS],
        ] as const) {
          const ports = { writing: writing.port, reading: port };
          wakes.push(await measureWakes(title, ports, keys, plan.wakes, atMost));
        }
      },
      waiters: async () => {
        progress.step('waiters');
        waiters.push(...(await measureWaiters(client, postgres.url, plan)));
      },
      snapshot: async () => {
        progress.log(`${plan.held} events beside an open snapshot`);
        ratios.push(await measureHeld(load, postgres, plan, () => progress.step('polls beside an open snapshot')));
      },
    };
    for (const name of cases) await measure[name]();
    const run = await describeRun(client, { compared: false });
    return { run, rounds: plan.rounds, ratios, wakes, waiters };
  } finally {
    await Promise.all(started.map((subject) => subject.stop()));
    await load.stop();
    await postgres.stop();
  }
}
