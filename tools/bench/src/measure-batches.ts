import { cpuTimeOfTree, issueKeys, UNLIMITED } from '@orders/system-under-test';
import { type Bench, startBenchPostgres } from './bench.ts';
import { BATCH_SIZE } from './cases/cases.ts';
import { describeRun } from './describe-run.ts';
import { formatReport, RATIO_HEADER, ratioRow } from './report.ts';
import { CONNECTIONS } from './subject.ts';
import { byRound, inTurns } from './turns.ts';

const PLANS = {
  full: { rounds: 5, orders: 4000 },
  quick: { rounds: 1, orders: 800 },
};

/** The limit of the cost of an order in a batch as a share of that of an order with a key. */
const AT_MOST = 0.4;

/** Measures what an order costs the server and PostgreSQL in a batch, beside an order in a request of its own. */
export async function measureBatches(bench: Bench): Promise<string> {
  const { rounds, orders } = PLANS[bench.length];
  const postgres = await startBenchPostgres(bench);
  const apiKeys = await issueKeys(postgres.url, ['writer']);
  // What counts orders later costs the same for each, and would fall into another turn.
  const env = { ...UNLIMITED, STATISTICS: 'off' };
  const server = await bench.serve({ databaseUrl: postgres.url, env });
  const cpuTime = () => cpuTimeOfTree(server.pid()) + cpuTimeOfTree(postgres.pid);
  const costOf = async (name: 'create' | 'batch', requests: number): Promise<number> => {
    const before = cpuTime();
    await bench.load.run({ case: name, port: server.port, apiKeys, requests, connections: CONNECTIONS });
    return (cpuTime() - before) / orders;
  };
  const turns = new Map([
    ['alone', () => costOf('create', orders)],
    ['together', () => costOf('batch', orders / BATCH_SIZE)],
  ]);
  await inTurns(1, turns);
  const costs = await inTurns(rounds, turns, () => bench.progress.step('orders in batches'));
  const own = (cost: number) => cost;
  const row = ratioRow('an order', byRound(costs('alone'), own), byRound(costs('together'), own), AT_MOST);
  const title = `### Orders with keys, one by one and in batches of ${BATCH_SIZE}`;
  return formatReport(await describeRun(postgres.client), [{ title, header: RATIO_HEADER, rows: [row] }]);
}
