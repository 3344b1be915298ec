import { expect, it } from 'vitest';
import { aReceiver } from '../programs/a-receiver.ts';
import { AN_ORDER, placeOrder, run, startServer } from '../programs/running-server.ts';

it('pnpm orders listen posts the events of an owner from now on, signed, and prints a line for each', async () => {
  const [server, receiver] = [await startServer(), await aReceiver()];
  await placeOrder(server);
  const args = ['listen', '--owner', 'demo', '--forward-to', receiver.url];
  const listening = run('cli.ts', { DATA_DIR: server.dataDir }, args);
  const [, secret = ''] = await listening.says(/The secret is (whsec_\S+)\n/);
  const order: unknown = await (await server.request('/v1/orders', { method: 'POST', body: AN_ORDER })).json();
  const [line] = await listening.says(/^.* order\.placed .*$/m);
  expect(line).toMatch(/^\S+Z {2}2 {2}order\.placed {2}[\w-]{36} {2}200 {2}\d+ ms$/);
  expect(receiver.received.map((request) => receiver.verify(secret, request))).toMatchObject([
    { type: 'order.placed', data: { position: 2, type: 'order.placed', resource: { type: 'order', data: order } } },
  ]);
  listening.process.kill('SIGINT');
  await listening.finished;
});
