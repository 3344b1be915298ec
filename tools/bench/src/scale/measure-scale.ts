import { createOrdersClient } from '@orders/client';
import { type Bench, startBenchPostgres } from '../bench.ts';
import { CASES } from '../cases/cases.ts';
import { describeRun } from '../describe-run.ts';
import { figure, formatReport, limit, median, RATIO_HEADER, ratioRow, type Section, spread } from '../report.ts';
import { both, compareByCase, measure, type Subject } from '../subject.ts';
import { byRound, inTurns, ratios } from '../turns.ts';
import { ordersOfOthers, startPopulated } from './scale-database.ts';
import { WrongResponse } from '../wrong-response.ts';

const PLANS = {
  full: { few: 10_000, many: 1_000_000, owners: 100_000, rounds: 3, seconds: 0.5, warmUp: { seconds: 1.5 } },
  quick: { few: 2000, many: 20_000, owners: 2000, rounds: 1, seconds: 0.1, warmUp: { seconds: 0.3 } },
};

type Plan = (typeof PLANS)['full'];

/** The cases that are measured on growing databases, and the highest ratio of their cost. */
const GROWING = ['get', 'list', 'create', 'cancel'] as const;
const COST_RATIO_MAX = 1.2;

const [OFFSETS, PAGE] = [[0, 100, 1000, 10_000], 20];
const LATENCY_RATIO_MAX = 1.1;

/**
 * Measures Orders on three databases in the same rounds: few orders of one owner, many orders of one owner, and as many
 * orders of very many owners.
 */
export async function measureScale(bench: Bench): Promise<string> {
  const plan = PLANS[bench.length];
  const { few, many, owners, rounds } = plan;
  const postgres = await startBenchPostgres(bench);
  const start = (name: string, orders: number, others: number) =>
    startPopulated(bench, postgres, name, { orders, others, ordersOfEach: others === 0 ? 0 : many / others });
  const subjects = [
    await start('few', few, 0),
    await start('deep', many, 0),
    await start('wide', few, owners),
  ] as const;
  const [small, deep, wide] = subjects;
  const pages = await pagesSection(bench, deep, plan);
  const rows: (readonly string[])[] = [];
  for (const name of GROWING) {
    const of = await compareByCase(bench, subjects, name, plan, { alike: true });
    const costs = (subject: Subject) => byRound(of(subject.title), both);
    const { title } = CASES[name];
    rows.push(
      ratioRow(`${title}: ${few} orders → ${many}`, costs(small), costs(deep), COST_RATIO_MAX),
      ratioRow(`${title}: 1 owner → ${owners}`, costs(small), costs(wide), COST_RATIO_MAX),
    );
  }
  const { ids, apiKeys } = await ordersOfOthers(wide.client);
  const get = (targets: readonly string[], keys: readonly string[]) => () =>
    measure(bench, wide, { case: 'get', targets, apiKeys: keys, seconds: plan.seconds });
  const turns = new Map([
    ['one', get(wide.ids, wide.keys.reader)],
    ['all', get(ids, apiKeys)],
  ]);
  const gets = await inTurns(rounds, turns);
  const title = `get: one of ${owners} owners → each request another's`;
  rows.push(ratioRow(title, byRound(gets('one'), both), byRound(gets('all'), both), COST_RATIO_MAX));
  const run = await describeRun(postgres.client);
  const growth = { title: '### Cost of a request as the database grows', header: RATIO_HEADER, rows };
  return formatReport(`${run}\n- ${many} orders, ${owners} owners, ${rounds} rounds`, [pages, growth]);
}

/** Measures pages of a long list at growing depths, by cursor and by offset, after a walk of the whole list. */
async function pagesSection(bench: Bench, deep: Subject, { many, rounds, seconds }: Plan): Promise<Section> {
  // A full page follows the last place.
  const depths = [100, 1000, 10_000, 100_000, many - 100].filter((depth) => depth < many);
  bench.progress.step(`a walk of ${many} orders`);
  const [apiKey = ''] = deep.keys.reader;
  const client = createOrdersClient({ baseUrl: deep.server.url, credentials: { apiKey } });
  const [walked, cursors] = [new Set<string>(), new Map<number, string>()];
  for await (const { data, next_cursor } of client.list({ limit: 100 }).pages()) {
    for (const { id } of data) walked.add(id);
    if (next_cursor !== null && depths.includes(walked.size)) cursors.set(walked.size, next_cursor);
  }
  if (walked.size !== many) throw new WrongResponse(`a walk returned ${walked.size} of ${many} orders`);
  const pages = new Map([
    ['cursor at 0', ''],
    ...[...cursors].map(([depth, cursor]) => [`cursor at ${depth}`, `&after=${cursor}`] as const),
    ...OFFSETS.map((depth) => [`offset at ${depth}`, `&offset=${depth}`] as const),
  ]);
  const turns = [...pages].map(([title, query]) => {
    const job = {
      case: 'page',
      targets: [`limit=${PAGE}${query}`],
      apiKeys: [apiKey],
      connections: 1,
      seconds,
    } as const;
    return [title, () => measure(bench, deep, job)] as const;
  });
  await inTurns(1, new Map(turns));
  const of = await inTurns(rounds, new Map(turns), () => bench.progress.step('pages of a long list'));
  const latencies = (title: string) => byRound(of(title), ({ p50 }) => p50);
  const rows = [...pages.keys()].map((title) => {
    const ratio = ratios(latencies('cursor at 0'), latencies(title));
    const atMost = title.startsWith('cursor') ? LATENCY_RATIO_MAX : null;
    const cells = [byRound(of(title), both), latencies(title)].map((values) => figure(median(values)));
    return [title, ...cells, spread(ratio), ...limit(median(ratio), atMost)];
  });
  const header = ['', 'CPU µs', 'p50 ms', 'latency of the first', 'at most', ''];
  return { title: '### Pages of a long list', header, rows };
}
