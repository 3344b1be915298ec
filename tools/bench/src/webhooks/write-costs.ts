import { createOrdersClient } from '@orders/client';
import { CASES } from '../cases/cases.ts';
import { RATIO_HEADER, ratioRow, type Section } from '../report.ts';
import { both, measure } from '../subject.ts';
import { byRound, inTurns } from '../turns.ts';
import { newOwners, registerEndpoints, type WebhooksBench } from './webhook-owners.ts';

/** The limit of a write's cost with ten endpoints as a multiple of that with none. */
const AT_MOST = 1.03;

/** Measures writes of owners with ten endpoints and with none, in a server beside which no worker delivers. */
export async function writesSection(
  webhooks: WebhooksBench,
  { rounds, writes: requests }: { readonly rounds: number; readonly writes: number },
): Promise<Section> {
  const { bench, postgres, server } = webhooks;
  const [none = '', ten = ''] = await newOwners(webhooks, 2);
  await registerEndpoints(webhooks, ten, 10);
  const rows: (readonly string[])[] = [];
  for (const name of ['create', 'place'] as const) {
    const costOf = (apiKey: string) => () =>
      measure(bench, { server, postgres: postgres.pid }, { case: name, apiKeys: [apiKey], requests });
    const turns = new Map([
      ['none', costOf(none)],
      ['ten', costOf(ten)],
    ]);
    await inTurns(1, turns);
    const title = CASES[name].title;
    const costs = await inTurns(rounds, turns, () => bench.progress.step(`${title} with endpoints`));
    rows.push(ratioRow(title, byRound(costs('none'), both), byRound(costs('ten'), both), AT_MOST));
  }
  // Otherwise a worker delivers to them later.
  const client = createOrdersClient({ baseUrl: server.url, credentials: { apiKey: ten } });
  for await (const { id } of client.webhooks.list()) (await client.webhooks.delete(id))._unsafeUnwrap();
  return { title: '### Cost of a write with ten endpoints', header: RATIO_HEADER, rows };
}
