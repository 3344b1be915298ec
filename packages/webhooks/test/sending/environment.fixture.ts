// A thread whose receivers require a wait of one second for each variable of its environment that is not one of Node.js.
import { parentPort } from 'node:worker_threads';
import type { FromThread } from '../../src/sending/transport.ts';

const reply = (message: FromThread) => parentPort?.postMessage(message);
const seconds = String(Object.keys(process.env).filter((name) => !name.startsWith('NODE_')).length);

parentPort?.on('message', ({ id }: { readonly id: number }) => {
  reply({ id, outcome: { status: 503, headers: { 'retry-after': seconds, date: undefined } } });
});
reply('ready');
