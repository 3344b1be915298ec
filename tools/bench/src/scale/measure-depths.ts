import type { Progress } from '../comparison/progress.ts';
import { rotated } from '../comparison/rotated.ts';
import { spreadOf } from '../statistics.ts';
import type { Cost, Measure, Site } from './measure.ts';
import { buffersOfPage } from './page-buffers.ts';
import { MEASURED_OWNER_KEY } from './scale-database.ts';
import type { ScalePlan } from './scale-plan.ts';
import type { DepthResult } from './scale-results.ts';
import { type Place, walk } from './walk.ts';

const OFFSETS = [0, 100, 1000, 10_000];
const LIMIT = 20;

interface Page {
  readonly kind: 'cursor' | 'offset';
  readonly depth: number;
  readonly query: string;
  readonly after: Place['after'] | null;
}

/** Measures pages of a long list at growing depths, by cursor and by offset, after a walk of the whole list. */
export async function measureDepths(
  { database, subject }: Site,
  plan: ScalePlan,
  measure: Measure,
  progress: Progress,
): Promise<readonly DepthResult[]> {
  // A full page follows the last place.
  const depths = [100, 1000, 10_000, 100_000, plan.many - 100].filter((depth) => depth < plan.many);
  const onProgress = (depth: number) => progress.log(`walked ${depth} orders`);
  const walked = await walk(subject.port, MEASURED_OWNER_KEY, plan.many, depths, onProgress);
  const pages: readonly Page[] = [
    { kind: 'cursor', depth: 0, query: `limit=${LIMIT}`, after: null },
    ...walked.map(({ depth, cursor, after }) => {
      return { kind: 'cursor', depth, query: `limit=${LIMIT}&after=${cursor}`, after } as const;
    }),
    ...OFFSETS.map((depth) => {
      return { kind: 'offset', depth, query: `limit=${LIMIT}&offset=${depth}`, after: null } as const;
    }),
  ];
  const rounds: ReadonlyMap<Page, Cost>[] = [];
  for (let round = 0; round <= plan.rounds; round += 1) {
    progress.step('pages of a long list');
    const costs = new Map<Page, Cost>();
    for (const page of rotated(pages, round)) {
      const job = { case: 'page', targets: [page.query], connections: 1 } as const;
      costs.set(page, await measure(subject, job, plan.seconds / 2));
    }
    // The first round is the warm-up.
    if (round > 0) rounds.push(costs);
  }
  const [first] = pages;
  const results: DepthResult[] = [];
  for (const page of pages) {
    const { kind, depth, after } = page;
    results.push({
      kind,
      depth,
      buffers: await buffersOfPage(database.url, after, kind === 'offset' ? depth : 0),
      cost: spreadOf(rounds.map((costs) => costs.get(page)?.cost ?? Number.NaN)),
      p50: spreadOf(rounds.map((costs) => costs.get(page)?.p50 ?? Number.NaN)),
      ratio: spreadOf(
        rounds.map(
          (costs) => (costs.get(page)?.p50 ?? Number.NaN) / (first ? (costs.get(first)?.p50 ?? Number.NaN) : 1),
        ),
      ),
    });
  }
  return results;
}
