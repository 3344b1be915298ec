import { cpuTimeOfTree } from '@orders/system-under-test';
import { CASES } from '../cases/cases.ts';
import { RATIO_HEADER, ratioRow, type Section } from '../report.ts';
import { CONNECTIONS } from '../subject.ts';
import { byRound, inTurns } from '../turns.ts';
import { deleteEndpoints, newOwners, registerEndpoints, type WebhooksBench } from './webhook-owners.ts';

/** The limit of a write's cost with ten endpoints as a multiple of that with none. */
const AT_MOST = 1.03;

/** Measures writes of owners with ten endpoints and with none, in a server beside which no worker delivers. */
export async function writesSection(
  webhooks: WebhooksBench,
  { rounds, writes: requests }: { readonly rounds: number; readonly writes: number },
): Promise<Section> {
  const { bench, postgres, server } = webhooks;
  const [none = '', ten = ''] = (await newOwners(webhooks, 2)).map(({ apiKey }) => apiKey);
  const endpoints = Array.from({ length: 10 }, () => ({}));
  const ids = await registerEndpoints(webhooks, ten, endpoints);
  const { rows: sessions } = await postgres.client.query<{ readonly pid: number }>('select pg_backend_pid() as pid');
  const ownSession = sessions[0]?.pid ?? 0;
  const cpuTime = () => cpuTimeOfTree(server.pid()) + cpuTimeOfTree(postgres.pid) - cpuTimeOfTree(ownSession);
  const rows: (readonly string[])[] = [];
  for (const name of ['create', 'place'] as const) {
    const costOf = async (apiKey: string): Promise<number> => {
      const before = cpuTime();
      await bench.load.run({ case: name, port: server.port, apiKeys: [apiKey], requests, connections: CONNECTIONS });
      return (cpuTime() - before) / requests;
    };
    const turns = new Map([
      ['none', () => costOf(none)],
      ['ten', () => costOf(ten)],
    ]);
    await inTurns(1, turns);
    const title = CASES[name].title;
    const costs = await inTurns(rounds, turns, () => bench.progress.step(`${title} with endpoints`));
    const own = (cost: number) => cost;
    rows.push(ratioRow(title, byRound(costs('none'), own), byRound(costs('ten'), own), AT_MOST));
  }
  await deleteEndpoints(webhooks, ten, ids);
  return { title: '### Cost of a write with ten endpoints', header: RATIO_HEADER, rows };
}
