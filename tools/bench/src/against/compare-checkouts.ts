import { type Bench, startBenchPostgres } from '../bench.ts';
import { type CaseName, CASES, COMPARED_CASES } from '../cases/cases.ts';
import { figure, median, type Section, verdict } from '../report.ts';
import { both, compareByCase, type Cost } from '../subject.ts';
import { byRound, ratios, type Rounds } from '../turns.ts';
import { startCheckout } from './checkout.ts';
import { estimateRatio } from './estimate-ratio.ts';

const PLANS = {
  /** `starts` is the number of starts of each server: the same code is not compiled in the same way each time. */
  full: { starts: 8, rounds: 3, seconds: 0.25, warmUp: { seconds: 1.2 }, orders: 2000 },
  quick: { starts: 1, rounds: 1, seconds: 0.05, warmUp: { seconds: 0.1 }, orders: 500 },
};

/** The cases that checkouts are compared by, in the order of the table. */
export const CHECKOUT_CASES: readonly CaseName[] = [
  ...COMPARED_CASES,
  'place',
  'createWithParties',
  'change',
  'changeWithKey',
  'changeLarge',
  'changeLargeWithKey',
];

/** The highest accepted ratio of the CPU time of server and PostgreSQL after a change to that before it. */
const RATIO_MAX = 1.03;

/** The same of an order with buyer, addresses and external ids to that of one without them. */
const PARTIES_RATIO_MAX = 1.15;

/** The costs of a case, by the start of the servers. */
interface Start {
  readonly before: Rounds<Cost>;
  readonly after: Rounds<Cost>;
  /** Those of a second server of the same checkout as `before`. */
  readonly control: Rounds<Cost>;
}

/**
 * Measures the checkout in `folder` and this one in turns, in one run on one PostgreSQL. Measures the one in
 * `folder` a second time as a control. Each has a database and a server of its own.
 *
 * @throws {WrongResponse} a response differs from the expected one
 */
export async function compareCheckouts(
  bench: Bench,
  folder: string,
  own: string,
  cases: readonly CaseName[],
): Promise<Section> {
  const plan = PLANS[bench.length];
  const postgres = await startBenchPostgres(bench);
  const subjects = [
    await startCheckout(bench, postgres, 'before', folder, plan.orders),
    await startCheckout(bench, postgres, 'after', own, plan.orders),
    await startCheckout(bench, postgres, 'control', folder, plan.orders),
  ];
  const starts = new Map<CaseName, Start[]>(cases.map((name) => [name, []]));
  for (let start = 0; start < plan.starts; start += 1) {
    if (start > 0) {
      for (const { server } of subjects) await server.stop();
      await Promise.all(subjects.map(({ server }) => server.start()));
    }
    for (const name of cases) {
      const costs = await compareByCase(bench, subjects, name, plan, { alike: true, start });
      starts.get(name)?.push({ before: costs('before'), after: costs('after'), control: costs('control') });
    }
  }
  const header = ['', 'server µs before', 'after', 'after of before', 'same code', 'with PostgreSQL', 'same code'];
  return {
    title: '### Cost of a request after a change, as a share of that before',
    header: [...header, `at most ${RATIO_MAX}`],
    rows: [
      ...cases.map((name) => rowOf(CASES[name].title, starts.get(name) ?? [])),
      rowOf(
        `the share of parties, at most ${PARTIES_RATIO_MAX}`,
        (starts.get('create') ?? []).flatMap(({ after: before, control }, start) => {
          const after = starts.get('createWithParties')?.[start]?.after;
          return after ? [{ before, after, control }] : [];
        }),
        PARTIES_RATIO_MAX,
      ),
    ],
  };
}

function rowOf(title: string, starts: readonly Start[], ratioMax = RATIO_MAX): readonly string[] {
  const ratio = (of: 'after' | 'control', cost: (cost: Cost) => number) =>
    estimateRatio(starts.map(({ before, [of]: other }) => ratios(byRound(before, cost), byRound(other, cost))));
  const server = ({ server: time }: Cost) => time;
  const typical = (of: 'before' | 'after') => figure(median(starts.flatMap((start) => byRound(start[of], server))));
  const after = ratio('after', both);
  const estimates = [ratio('after', server), ratio('control', server), after, ratio('control', both)];
  return [
    title,
    typical('before'),
    typical('after'),
    ...estimates.map((each) => `${each.ratio.toFixed(3)} (${each.low.toFixed(2)}–${each.high.toFixed(2)})`),
    verdict(after.ratio <= ratioMax),
  ];
}
