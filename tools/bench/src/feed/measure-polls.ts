import { CONNECTIONS } from '../comparison/plan.ts';
import type { Subject } from '../comparison/start-subject.ts';
import type { Load } from '../load/load.ts';
import type { LoadJob } from '../load/load-protocol.ts';
import { placeOrders } from '../load/place-orders.ts';
import { cpuTimeOfTree } from '../machine/cpu-time.ts';
import { endOfFeed } from './feed-client.ts';
import type { FeedPlan } from './feed-plan.ts';
import type { RatioResult } from './feed-results.ts';
import { type Cost, inTurns, ratioOf } from './in-turns.ts';

/** The events of a page. */
const PAGE = 100;

/** Events of the reader: enough for several pages. */
const EVENTS = 5 * PAGE;

/** A text of a response without events, and of one with any. */
const EMPTY = '"data":[]';
const FULL = `"position":${PAGE},`;

/** Returns a turn of reads, which sends load for some time and returns the cost of a request. */
export function readsOf(
  load: Load,
  { pid, port }: Subject,
  postmaster: number,
  job: Pick<LoadJob, 'case' | 'targets' | 'apiKeys'> & { readonly seconds: number },
): () => Promise<Cost> {
  return async () => {
    const before = cpuTimeOfTree(pid) + cpuTimeOfTree(postmaster);
    const { requests } = await load.run({ ...job, port, connections: CONNECTIONS });
    const all = (cpuTimeOfTree(pid) + cpuTimeOfTree(postmaster) - before) / requests;
    return { all, own: all };
  };
}

/** Returns the target of a poll at the end of a feed. */
export async function idlePoll(port: number, apiKey: string): Promise<string> {
  return `after=${await endOfFeed(port, apiKey)}&wait=0 ${EMPTY}`;
}

/** Measures polls without events and pages of events beside lookups of an order. */
export async function measurePolls(
  site: PollSite,
  plan: FeedPlan,
  onRound: (round: number) => void,
): Promise<readonly RatioResult[]> {
  const { load, subject, postmaster, apiKey } = site;
  const ids = await placeOrders(subject.port, [apiKey], EVENTS);
  const polls = await idlePoll(subject.port, apiKey);
  await site.settle();
  const reads = (name: LoadJob['case'], target: readonly string[], seconds: number) =>
    readsOf(load, subject, postmaster, { case: name, targets: target, apiKeys: [apiKey], seconds });
  const turns = (seconds: number) => ({
    get: reads('get', ids, seconds),
    poll: reads('events', [polls], seconds),
    page: reads('events', [`limit=${PAGE} ${FULL}`], seconds),
    resources: reads('events', [`limit=${PAGE}&include=resource ${FULL}`], seconds),
  });
  await inTurns(1, turns(plan.warmUpSeconds));
  const costs = await inTurns(plan.rounds, turns(plan.seconds), onRound);
  return [
    ratioOf('get → idle poll', costs('get'), costs('poll'), 1.1),
    ratioOf(`get → page of ${PAGE} events`, costs('get'), costs('page'), null),
    ratioOf(`get → page of ${PAGE} events with resources`, costs('get'), costs('resources'), null),
  ];
}

/** A server and the parts that measure it. */
export interface PollSite {
  readonly load: Load;
  readonly subject: Subject;
  readonly postmaster: number;
  readonly apiKey: string;
  /** Does the work of autovacuum, which is off. */
  settle(): Promise<void>;
}
