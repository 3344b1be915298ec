import { type CaseName, CASES } from '../cases/cases.ts';
import { CONNECTIONS } from '../comparison/plan.ts';
import type { Progress } from '../comparison/progress.ts';
import { spreadOf } from '../statistics.ts';
import { placeOrders } from '../database/seed.ts';
import { GROWING, type Measure, type Site } from './measure.ts';
import { MEASURED_OWNER, deleteNewOrders, ordersOfOthers, type ScaleDatabase } from './scale-database.ts';
import type { ScalePlan } from './scale-plan.ts';
import type { GrowthResult } from './scale-results.ts';

/** An upper bound of cancelled orders per second. */
const CANCELS_PER_SECOND = 6000;

async function targetsOf(
  { client, ids, newest }: ScaleDatabase,
  name: CaseName,
  count: number,
): Promise<readonly string[]> {
  if (name === 'list') return [newest];
  return name === 'cancel' ? await placeOrders(client, MEASURED_OWNER, Math.ceil(count)) : ids;
}

/** Measures the same requests on a small and on large databases, one after the other. */
export async function measureGrowth(
  { few, deep, wide }: { readonly few: Site; readonly deep: Site; readonly wide: Site },
  plan: ScalePlan,
  measure: Measure,
  progress: Progress,
): Promise<readonly GrowthResult[]> {
  const others = await ordersOfOthers(wide.database.client);
  const rounds: { readonly name: CaseName; readonly few: number; readonly deep: number; readonly wide: number }[] = [];
  const spread: { readonly one: number; readonly all: number }[] = [];
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const name of GROWING) {
      const at = async ({ database, subject }: Site): Promise<number> => {
        progress.step(`${CASES[name].title}, ${CONNECTIONS} connections`);
        const targets = await targetsOf(database, name, CANCELS_PER_SECOND * (plan.seconds + plan.warmUpSeconds));
        const half = Math.ceil(targets.length / 2);
        const before = round === 0 ? plan.warmUpSeconds : plan.seconds / 4;
        await measure(subject, { case: name, targets: targets.slice(0, half) }, before);
        const { cost } = await measure(subject, { case: name, targets: targets.slice(-half) });
        if (CASES[name].writes) await deleteNewOrders(database.client);
        return cost;
      };
      rounds.push({ name, few: await at(few), deep: await at(deep), wide: await at(wide) });
    }
    progress.step('get, a different owner in each request');
    const job = { case: 'get', targets: others.ids, apiKeys: others.apiKeys } as const;
    await measure(wide.subject, job, plan.seconds / 4);
    const all = (await measure(wide.subject, job)).cost;
    spread.push({ one: rounds.findLast(({ name }) => name === 'get')?.few ?? Number.NaN, all });
  }
  const grown = (where: 'deep' | 'wide', title: string): readonly GrowthResult[] =>
    GROWING.map((name) => {
      const own = rounds.filter((round) => round.name === name);
      return {
        title: `${CASES[name].title}: ${title}`,
        before: spreadOf(own.map((round) => round.few)),
        after: spreadOf(own.map((round) => round[where])),
        ratio: spreadOf(own.map((round) => round[where] / round.few)),
      };
    });
  return [
    ...grown('deep', `${plan.few} orders → ${plan.many}`),
    ...grown('wide', `1 owner → ${plan.owners}`),
    {
      title: `get: 1 owner → ${plan.owners}, each request another's`,
      before: spreadOf(spread.map(({ one }) => one)),
      after: spreadOf(spread.map(({ all }) => all)),
      ratio: spreadOf(spread.map(({ one, all }) => all / one)),
    },
  ];
}
