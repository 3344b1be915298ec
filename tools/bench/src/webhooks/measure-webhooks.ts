import type { Progress } from '../comparison/progress.ts';
import { startBenchDatabase } from '../database/bench-database.ts';
import type { RatioResult } from '../feed/feed-results.ts';
import { startLoad } from '../load/load.ts';
import { describeRun } from '../machine/describe.ts';
import { measureFairness } from './measure-fairness.ts';
import { lags } from './measure-lags.ts';
import { throughput } from './measure-throughput.ts';
import { writeCosts } from './measure-write-costs.ts';
import { startReceiver } from './receiver.ts';
import type { WebhooksCase, WebhooksPlan } from './webhooks-plan.ts';
import type { FairnessResult, LagResult, ThroughputResult, WebhooksResults } from './webhooks-results.ts';
import { during, webhooksSite } from './webhooks-site.ts';

/** Measures webhooks of servers as shipped, with receivers in a process of their own. */
export async function measureWebhooks(
  plan: WebhooksPlan,
  cases: readonly WebhooksCase[],
  progress: Progress,
): Promise<WebhooksResults> {
  const postgres = await startBenchDatabase();
  const load = startLoad();
  const receiver = await startReceiver();
  try {
    const site = await webhooksSite(postgres, load, receiver);
    progress.begin(4 + plan.rounds * 5 + plan.fairnessRounds * 8 + 1);
    const step = (title: string) => progress.step(title);
    const throughputs: ThroughputResult[] = [];
    const lagResults: LagResult[] = [];
    const writes: RatioResult[] = [];
    const fairness: FairnessResult[] = [];
    const parts = {
      throughput: throughput(site, plan, step),
      lags: lags(site, plan, step),
      writes: writeCosts(site, plan, step),
    };
    const has = (name: WebhooksCase) => cases.includes(name);
    // The backlog comes last, so that no worker delivers it yet.
    await during(site.serve('api'), async (server) => {
      if (has('writes')) writes.push(...(await parts.writes.ofServerAlone(server)));
      if (has('latency')) lagResults.push(await parts.lags.ofWorker(server));
      if (has('throughput')) await parts.throughput.beforehand(server);
    });
    await postgres.settle();
    await during(site.serve('on'), async (server) => {
      if (has('throughput')) throughputs.push(...(await parts.throughput.measure(server)));
      if (has('latency')) lagResults.push(await parts.lags.ofServer(server));
      await postgres.settle();
      if (has('writes')) writes.push(...(await parts.writes.besideWorker(server)));
      await postgres.settle();
      if (has('fairness')) fairness.push(...(await measureFairness(site, plan, step, server)));
    });
    // Nothing may have arrived beyond what was expected.
    await receiver.take(0);
    const run = await describeRun(postgres.client, { compared: false });
    return { run, throughput: throughputs, lags: lagResults.toReversed(), writes, fairness };
  } finally {
    await load.stop();
    await receiver.stop();
    await postgres.stop();
  }
}
