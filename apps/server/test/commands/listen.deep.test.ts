import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AN_ORDER, run, startServer } from '../programs/running-server.ts';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A program that takes webhooks, with what it received. */
async function aReceiver(status: number) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ headers: request.headers, body });
      response.writeHead(status).end();
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/hooks`, received };
}

function signatureOf({ headers, body }: Received, secret: string): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.');
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

describe('pnpm orders listen', () => {
  it('posts the events of an owner from now on, signed, and prints a line for each', async () => {
    const server = await startServer();
    const place = () => server.request('/v1/orders', { method: 'POST', body: AN_ORDER });
    await place();
    const { url, received } = await aReceiver(204);
    const listening = run('cli.ts', { DATA_DIR: server.dataDir }, ['listen', '--owner', 'demo', '--forward-to', url]);
    const [, secret = ''] = await listening.says(/The secret is (whsec_\S+)\n/);
    const order: unknown = await (await place()).json();
    const [line] = await listening.says(/^.* order\.placed .*$/m);
    expect(line).toMatch(/^\S+Z {2}2 {2}order\.placed {2}[\w-]{36} {2}204 {2}\d+ ms$/);
    expect(received).toHaveLength(1);
    const [request] = received;
    if (!request) throw new Error('no request was received');
    expect(request.headers['webhook-signature']).toBe(signatureOf(request, secret));
    expect(JSON.parse(request.body)).toMatchObject({
      type: 'order.placed',
      data: { position: 2, type: 'order.placed', resource: { type: 'order', data: order } },
    });
    listening.process.kill('SIGINT');
    await listening.finished;
  });

  it('reports every wrong argument', async () => {
    const args = ['--forward-to', 'ftp://x', '--types', 'order.placed,order.lost', '--secret', 'whsec_short'];
    const { code, stderr } = await run('cli.ts', {}, ['listen', ...args]).finished;
    expect(code).toBe(1);
    for (const name of ['--owner', '--forward-to', '--types', '--secret']) expect(stderr).toContain(`${name}: must be`);
  });
});
