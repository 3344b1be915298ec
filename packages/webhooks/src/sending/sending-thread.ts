// The thread of a webhook sender; see startThread. It imports no other package of this repository, so that it starts fast, and
// from the sources without a condition.
import { parentPort, workerData } from 'node:worker_threads';
import { localTransport } from './local-transport.ts';
import type { FromThread, ToThread } from './transport.ts';

// oxlint-disable-next-line typescript/no-unsafe-argument -- the thread is started with the options of its transport
const transport = localTransport(workerData);
const running = new Map<number, AbortController>();
const reply = (message: FromThread) => parentPort?.postMessage(message);

parentPort?.on('message', (message: ToThread) => {
  if ('interrupted' in message) running.get(message.interrupted)?.abort();
  else void send(message);
});
reply('ready');

async function send({ id, request }: Exclude<ToThread, { readonly interrupted: number }>): Promise<void> {
  const interruption = new AbortController();
  running.set(id, interruption);
  const post = await transport.open(interruption.signal);
  const outcome = await post?.(request, interruption.signal);
  running.delete(id);
  if (outcome && !interruption.signal.aborted) reply({ id, outcome });
}
