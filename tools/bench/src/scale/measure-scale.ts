import { CASES } from '../cases/cases.ts';
import type { Progress } from '../comparison/progress.ts';
import { startSubject } from '../comparison/start-subject.ts';
import { SUBJECTS } from '../comparison/subjects.ts';
import { startBenchDatabase } from '../database/bench-database.ts';
import { startLoad } from '../load/load.ts';
import { describeRun } from '../machine/describe.ts';
import { GROWING, measurer, type Site } from './measure.ts';
import { measureDepths } from './measure-depths.ts';
import { measureGrowth } from './measure-growth.ts';
import { MEASURED_OWNER_KEY, makeScaleDatabase } from './scale-database.ts';
import type { ScalePlan } from './scale-plan.ts';
import type { ScaleResults } from './scale-results.ts';

/**
 * Measures Orders on three databases in the same rounds: few orders of one owner, many orders of one owner, and as many
 * orders of very many owners.
 */
export async function measureScale(plan: ScalePlan, progress: Progress): Promise<ScaleResults> {
  const postgres = await startBenchDatabase();
  const load = startLoad();
  const sites: Site[] = [];
  const site = async (name: string, orders: number, others: number): Promise<Site> => {
    progress.log(`${orders} orders of one owner, ${others} other owners`);
    const ordersOfEach = others === 0 ? 0 : Math.round(plan.many / others);
    const database = await makeScaleDatabase(postgres.url, name, { orders, others, ordersOfEach });
    const path = CASES.get.request(database.ids[0] ?? '').path;
    const subject = await startSubject(SUBJECTS.orders, database.url, { path, apiKey: MEASURED_OWNER_KEY });
    sites.push({ database, subject });
    return { database, subject };
  };
  try {
    const few = await site('few', plan.few, 0);
    const deep = await site('deep', plan.many, 0);
    const wide = await site('wide', plan.few, plan.owners);
    const measure = measurer(load, postgres.postmaster, plan);
    progress.begin(plan.rounds * (GROWING.length * 3 + 1) + plan.rounds);
    const depths = await measureDepths(deep, plan, measure, progress);
    const growth = await measureGrowth({ few, deep, wide }, plan, measure, progress);
    const { many, owners, rounds } = plan;
    return {
      run: await describeRun(postgres.client, { compared: false }),
      orders: many,
      owners,
      rounds,
      depths,
      growth,
    };
  } finally {
    for (const { subject, database } of sites) {
      await subject.stop();
      await database.close();
    }
    await load.stop();
    await postgres.stop();
  }
}
