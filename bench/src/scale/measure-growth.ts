import { type CaseName, CASES } from '../cases/cases.ts';
import { CONNECTIONS } from '../comparison/plan.ts';
import type { Progress } from '../comparison/progress.ts';
import { spreadOf } from '../comparison/statistics.ts';
import { placeOrders } from '../database/seed.ts';
import { GROWING, type Measure, type Site } from './measure.ts';
import { ASKER, forgetNewOrders, othersOrders, type ScaleDatabase } from './scale-database.ts';
import type { ScalePlan } from './scale-plan.ts';
import type { GrowthResult } from './scale-results.ts';

/** More than can be. */
const CANCELS_A_SECOND = 6000;

async function targetsOf(
  { client, ids, newest }: ScaleDatabase,
  name: CaseName,
  count: number,
): Promise<readonly string[]> {
  if (name === 'list') return [newest];
  return name === 'cancel' ? await placeOrders(client, ASKER, Math.ceil(count)) : ids;
}

/** Measures the same requests where there is little and where there is much, one after the other. */
export async function measureGrowth(
  { few, deep, wide }: { readonly few: Site; readonly deep: Site; readonly wide: Site },
  plan: ScalePlan,
  measure: Measure,
  progress: Progress,
): Promise<readonly GrowthResult[]> {
  const others = await othersOrders(wide.database.client);
  const rounds: { readonly name: CaseName; readonly few: number; readonly deep: number; readonly wide: number }[] = [];
  const strangers: { readonly one: number; readonly all: number }[] = [];
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const name of GROWING) {
      const at = async ({ database, subject }: Site): Promise<number> => {
        progress.step(`${CASES[name].title}, ${CONNECTIONS} connections`);
        const targets = await targetsOf(database, name, CANCELS_A_SECOND * (plan.seconds + plan.warmUpSeconds));
        const half = Math.ceil(targets.length / 2);
        const before = round === 0 ? plan.warmUpSeconds : plan.seconds / 4;
        await measure(subject, { case: name, targets: targets.slice(0, half) }, before);
        const { cost } = await measure(subject, { case: name, targets: targets.slice(-half) });
        if (CASES[name].writes) await forgetNewOrders(database.client);
        return cost;
      };
      rounds.push({ name, few: await at(few), deep: await at(deep), wide: await at(wide) });
    }
    progress.step('get, each request of another owner');
    const asked = { case: 'get', targets: others.ids, apiKeys: others.apiKeys } as const;
    await measure(wide.subject, asked, plan.seconds / 4);
    const all = (await measure(wide.subject, asked)).cost;
    strangers.push({ one: rounds.findLast(({ name }) => name === 'get')?.few ?? Number.NaN, all });
  }
  const grown = (where: 'deep' | 'wide', what: string): readonly GrowthResult[] =>
    GROWING.map((name) => {
      const own = rounds.filter((round) => round.name === name);
      return {
        what: `${CASES[name].title}: ${what}`,
        little: spreadOf(own.map((round) => round.few)),
        much: spreadOf(own.map((round) => round[where])),
        ratio: spreadOf(own.map((round) => round[where] / round.few)),
      };
    });
  return [
    ...grown('deep', `${plan.few} orders → ${plan.many}`),
    ...grown('wide', `1 owner → ${plan.owners}`),
    {
      what: `get: 1 owner → ${plan.owners}, each request another's`,
      little: spreadOf(strangers.map(({ one }) => one)),
      much: spreadOf(strangers.map(({ all }) => all)),
      ratio: spreadOf(strangers.map(({ one, all }) => all / one)),
    },
  ];
}
