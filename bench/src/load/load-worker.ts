import { randomUUIDv7 } from 'node:crypto';
import type { Case } from '../cases/case.ts';
import { CASES, PAGE } from '../cases/cases.ts';
import { quantile } from '../comparison/statistics.ts';
import { openConnection, type RawAnswer, rawRequest } from './connection.ts';
import { LoadOrder, type LoadReport } from './load-protocol.ts';

/** How much of a wrong answer is shown. */
const SHOWN = 500;

// The parent may end in the middle of a run.
process.on('disconnect', () => process.exit());

/** A process of its own: sends the requests of a case, each connection its next when it has the answer to its last. */
process.on('message', (message) => {
  void run(LoadOrder.parse(message)).then((report) => process.send?.(report));
});

async function run(order: LoadOrder): Promise<LoadReport> {
  const { case: name, port, apiKeys, targets, seconds = Infinity, requests = Infinity, connections } = order;
  const measured: Case = name === 'page' ? PAGE : CASES[name];
  const open = await Promise.all(Array.from({ length: connections }, () => openConnection(port)));
  const next = targetsOf(measured, targets, requests);
  const latencies: number[] = [];
  let wrong: string | undefined;
  const started = performance.now();
  const deadline = started + seconds * 1000;
  const work = async (connection: (typeof open)[number]): Promise<void> => {
    while (wrong === undefined && performance.now() < deadline) {
      const { target, place } = next();
      if (target === undefined) return;
      const request = rawRequest(measured, target, port, apiKeys[place % apiKeys.length] ?? '');
      const sent = performance.now();
      const answer = await connection.exchange(request);
      latencies.push(performance.now() - sent);
      if (!isRight(measured, target, answer))
        wrong ??= `${request}\n\nwas answered\n\n${answer.head}\n\n${answer.body.slice(0, SHOWN)}`;
    }
  };
  await Promise.all(open.map(work)).catch((cause: unknown) => (wrong ??= String(cause)));
  const elapsed = (performance.now() - started) / 1000;
  for (const connection of open) connection.close();
  return {
    requests: latencies.length,
    perSecond: latencies.length / elapsed,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    ...(wrong !== undefined && { wrong }),
  };
}

/** Hands out targets and their places, for so many requests; `undefined` when each has been used. */
function targetsOf({ targets: kind }: Case, targets: readonly string[], requests: number) {
  let used = 0;
  return (): { readonly target: string | undefined; readonly place: number } => {
    const place = used;
    used += 1;
    if (place >= requests) return { target: undefined, place };
    if (kind === 'new') return { target: randomUUIDv7(), place };
    return { target: targets[kind === 'once' ? place : place % targets.length], place };
  };
}

function isRight({ status, inHead, inBody }: Case, target: string, answer: RawAnswer): boolean {
  const head = answer.head.toLowerCase();
  return (
    answer.status === status &&
    inHead(target).every((part) => head.includes(part)) &&
    inBody(target).every((part) => answer.body.includes(part))
  );
}
