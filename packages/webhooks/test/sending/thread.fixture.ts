// A thread that ends for a request to `/end`, and has no outcome for one to `/hang`. Other receivers require a wait of one
// second for each variable of its environment that is not one of Node.js.
import { parentPort } from 'node:worker_threads';
import type { FromThread, ToThread } from '../../src/sending/transport.ts';

const reply = (message: FromThread) => parentPort?.postMessage(message);
const seconds = String(Object.keys(process.env).filter((name) => !name.startsWith('NODE_')).length);

parentPort?.on('message', (message: ToThread) => {
  if (!('request' in message) || message.request.url.endsWith('/hang')) return;
  if (message.request.url.endsWith('/end')) process.exit(3);
  reply({ id: message.id, outcome: { status: 503, headers: { 'retry-after': seconds, date: undefined } } });
});
reply('ready');
