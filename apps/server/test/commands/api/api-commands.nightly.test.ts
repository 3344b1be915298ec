import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { aReceiver, subscribe } from '../../programs/a-receiver.ts';
import { listenAnywhere } from '../../programs/ports.ts';
import {
  AN_ORDER,
  aFolder,
  type Finished,
  run,
  type RunningServer,
  startServer,
} from '../../programs/running-server.ts';

const CLI = join(import.meta.dirname, '../../../src/cli.ts');
const Order = z.object({ id: z.string(), status: z.string(), cancel_reason: z.string().nullable() });

/** Runs a command against a server with the demo key that the server has stored. */
function orders(server: Pick<RunningServer, 'url' | 'dataDir'>, ...args: readonly string[]): Promise<Finished> {
  return run('cli.ts', { ORDERS_URL: server.url, DATA_DIR: server.dataDir }, args).finished;
}

async function orderOf(finished: Promise<Finished>): Promise<z.infer<typeof Order>> {
  const { code, stdout, stderr } = await finished;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return Order.parse(JSON.parse(stdout));
}

async function fileOf(content: string): Promise<string> {
  const file = join(await aFolder(), 'input.json');
  await writeFile(file, content);
  return file;
}

/** Places an order from standard input, with the key `cart-1`. */
async function placeFromInput(server: RunningServer, input: string): Promise<string> {
  const env = { PATH: process.env['PATH'], ORDERS_URL: server.url, ORDERS_API_KEY: await server.demoKey() };
  const args = ['--conditions=source', CLI, 'place', '-', '--key', 'cart-1'];
  const placing = promisify(execFile)(process.execPath, args, { env });
  placing.child.stdin?.end(input);
  return (await placing).stdout;
}

describe('pnpm orders', () => {
  it('places, gets, lists and cancels orders of a server', async () => {
    const server = await startServer();
    // A text of a client that would control the terminal.
    const note = 'red \u001B[31m';
    const file = await fileOf(AN_ORDER.replace(/\}$/, `,"metadata":${JSON.stringify({ note })}}`));
    const { id } = await orderOf(orders(server, 'place', file, '--key', 'cart-1', '--json'));
    expect((await orderOf(orders(server, 'place', file, '--key', 'cart-1', '--json'))).id).toBe(id);

    const got = (await orders(server, 'get', id)).stdout;
    expect(got).toMatch(/^status +pending$/m);
    expect(got).toMatch(/^total +25\.98 EUR$/m);
    expect(got).toMatch(/^ {2}2 x MUG-330 {2}Mug 330 ml {2}12\.99 EUR$/m);
    expect(got).toContain('red');
    expect(got).not.toContain('\u001B');

    const cancelled = await orderOf(orders(server, 'cancel', id, '--reason', 'out of stock', '--json'));
    expect(cancelled).toEqual({ id, status: 'cancelled', cancel_reason: 'out of stock' });
    const table = (await orders(server, 'list', '--status', 'cancelled,paid')).stdout;
    expect(table).toMatch(/^ID +STATUS +TOTAL +REFERENCE +CREATED\n/);
    expect(table).toMatch(new RegExp(`^${id} +cancelled +25\\.98 EUR +- +\\S+Z\\n$`, 'm'));
    const past = '2020-01-01T00:00:00+01:00';
    for (const filter of [
      ['--status', 'pending'],
      ['--reference-prefix', 'PO'],
      ['--before', past],
      ['--updated-before', past],
    ])
      expect((await orders(server, 'list', ...filter, '--json')).stdout).toBe('[]\n');
    for (const filter of [
      ['--from', past, '--updated-from', past],
      ['--ids', `${id},019b0000-ffff-7000-8000-000000000000`],
    ])
      expect((await orders(server, 'list', ...filter, '--json')).stdout).toContain(id);

    const events = await orders(server, 'events');
    expect(events.stdout).toMatch(/^OCCURRED +POSITION +TYPE +RESOURCE +VERSION\n/);
    expect(events.stdout.match(/order\.\w+/g)).toEqual(['order.placed', 'order.cancelled']);
    const [, cursor = ''] = /--after (\S+)/.exec(events.stderr) ?? [];
    expect((await orders(server, 'events', '--after', cursor)).stdout).not.toContain('order.');
  });

  it('places an order from standard input, and follows events from now on until it is stopped', async () => {
    const server = await startServer();
    const [, before = ''] = /^id +(\S+)$/m.exec(await placeFromInput(server, AN_ORDER)) ?? [];
    const following = run('cli.ts', { ORDERS_URL: server.url, DATA_DIR: server.dataDir }, ['events', '--follow']);
    // It begins at some moment after its start, so events are made until one arrives.
    const placing = setInterval(() => {
      server.request('/v1/orders', { method: 'POST', body: AN_ORDER }).catch(() => undefined);
    }, 200);
    await following.says(/order\.placed .*\n/).finally(() => clearInterval(placing));
    following.process.kill('SIGINT');
    const { code, stdout, stderr } = await following.finished;
    expect({ code, stderr }).toEqual({ code: 130, stderr: '' });
    expect(before).not.toBe('');
    expect(stdout).not.toContain(before);
  });

  it('lists, tests and repeats the deliveries of webhook endpoints', async () => {
    const [server, receiver] = [await startServer({ WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32' }), await aReceiver()];
    const { id } = await subscribe(server, receiver, { types: ['order.placed'] });
    expect((await orders(server, 'webhooks', 'test', id)).stdout).toMatch(/^accepted with 200 in \d+ ms\n$/);
    await server.request('/v1/orders', { method: 'POST', body: AN_ORDER });
    await expect.poll(async () => (await orders(server, 'webhooks', 'deliveries', id)).stdout).toContain('delivered');
    const table = (await orders(server, 'webhooks', 'list')).stdout;
    expect(table).toMatch(new RegExp(`^${id} +enabled +order\\.placed +${receiver.url}\\n$`, 'm'));
    const listed = await orders(server, 'webhooks', 'deliveries', id, '--status', 'delivered', '--json');
    const [delivery] = z.array(z.object({ event_id: z.string() })).parse(JSON.parse(listed.stdout));
    const event = delivery?.event_id ?? '';
    const repeated = await orders(server, 'webhooks', 'redeliver', id, event);
    expect(repeated.stdout).toBe(`${event} (order.placed) is pending\n`);
    await expect.poll(() => receiver.received.filter(({ headers }) => headers['webhook-id'] === event)).toHaveLength(2);
  });

  it('explains requests that fail; one whose outcome is unknown has the key to repeat it with', async () => {
    const server = await startServer();
    const invalid = await orders(server, 'place', await fileOf('{"items":[]}'));
    expect(invalid).toMatchObject({ code: 1, stdout: '' });
    expect(invalid.stderr).toMatch(/^orders: validation_failed: .*\norders: items: /);
    const missing = await orders(server, 'get', '019b2a4e-8f00-7000-8000-000000000001');
    expect(missing.stderr).toContain('order_not_found: ');
    await server.stop();
    const lost = await orders(server, 'place', await fileOf(AN_ORDER), '--key', 'cart-2');
    expect(lost.stderr).toContain(
      `no usable response from ${server.url}, which is that of ORDERS_URL (connect ECONNREFUSED`,
    );
    expect(lost.stderr).toContain('run the same command with --key cart-2 until it succeeds');
  });

  it('sends the demo key to a server on this machine only', async () => {
    const dataDir = await aFolder();
    await writeFile(join(dataDir, 'demo-api-key'), 'demo_key\n');
    const keys: unknown[] = [];
    const server = createServer((request, response) => {
      keys.push(request.headers['x-api-key']);
      response.writeHead(401).end();
    });
    onTestFinished(() => void server.close());
    const port = await listenAnywhere(server);
    const list = (host: string, env = {}) =>
      run('cli.ts', { ORDERS_URL: `http://${host}:${port}`, DATA_DIR: dataDir, ...env }, ['list']).finished;
    // Other addresses of this machine, so that a key that is sent would arrive.
    for (const host of ['0.0.0.0', '[::ffff:127.0.0.1]']) {
      const { code, stderr } = await list(host);
      expect([code, stderr]).toEqual([1, expect.stringContaining('ORDERS_API_KEY: must be an API key of the server')]);
    }
    expect(keys).toEqual([]);
    await list('localhost');
    await list('0.0.0.0', { ORDERS_API_KEY: 'own_key' });
    expect(keys).toEqual(['demo_key', 'own_key']);
  });

  it.each([
    ['list --limit 0', '--limit: must be a whole number from 1 to 10000'],
    ['events --types placed', '--types: "placed" is no type of an event'],
    ['webhooks deliveries x --status dead', 'Allowed choices are pending, delivered, failed.'],
    ['place /nonexistent.json', 'FILE: '],
    ['webhooks lsit', 'Did you mean list?'],
  ])('rejects the arguments of "%s" before any request', async (args, message) => {
    const env = { ORDERS_URL: 'http://127.0.0.1:1', ORDERS_API_KEY: 'ord_any' };
    const { code, stderr } = await run('cli.ts', env, args.split(' ')).finished;
    expect(code).toBe(1);
    expect(stderr).toContain(message);
  });
});
