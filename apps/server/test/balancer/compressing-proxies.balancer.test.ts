// cspell:ignore slotmem lbmethod byrequests
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { aFreePort } from '../programs/ports.ts';
import { aFolder, AN_ORDER } from '../programs/running-server.ts';
import { addressOf, aDatabase } from './balanced-servers.ts';
import { startProxy } from './running-balancer.ts';

const REPOSITORY = join(import.meta.dirname, '../../../..');
const TYPES = 'application/json application/problem+json';

/** A proxy in front of two servers. It removes the path `/shop`, compresses what it can, and buffers bodies. */
interface CompressingProxy {
  readonly args: (file: string) => readonly string[];
  readonly configure: (folder: string, port: number, servers: readonly string[]) => string;
  /** What becomes of the tag of version 1. */
  readonly tag: string;
}

const modules = (...names: readonly string[]) =>
  names.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n');

const PROXIES: Readonly<Record<string, CompressingProxy>> = {
  nginx: {
    args: (file) => ['-c', file, '-g', 'daemon off; user root;'],
    configure: (folder, port, servers) => `pid ${folder}/pid; error_log stderr;
      events {}
      http {
        access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
        gzip on; gzip_proxied any; gzip_min_length 1; gzip_types ${TYPES};
        upstream orders { ${servers.map((server) => `server ${server};`).join(' ')} }
        server {
          listen 127.0.0.1:${port};
          location /shop/ { proxy_pass http://orders/; proxy_http_version 1.1; }
        }
      }`,
    tag: 'W/"1-1"',
  },
  apache2: {
    args: (file) => ['-f', file, '-D', 'FOREGROUND'],
    configure: (folder, port, servers) => `ServerRoot ${folder}
      ServerName localhost
      DefaultRuntimeDir ${folder}
      PidFile ${folder}/pid
      ErrorLog ${folder}/errors
      Listen 127.0.0.1:${port}
      ${modules('mpm_event', 'authz_core', 'filter', 'deflate', 'slotmem_shm', 'lbmethod_byrequests')}
      ${modules('proxy', 'proxy_http', 'proxy_balancer')}
      User www-data
      Group www-data
      <Proxy "balancer://orders">
        ${servers.map((server) => `BalancerMember http://${server}`).join('\n')}
      </Proxy>
      ProxyPass /shop/ balancer://orders/
      SetOutputFilter DEFLATE`,
    tag: '"1-1-gzip"',
  },
  haproxy: {
    args: (file) => ['-db', '-f', file],
    configure: (_, port, servers) => `defaults
        mode http
        timeout connect 5s
        timeout client 60s
        timeout server 60s
      listen orders
        bind 127.0.0.1:${port}
        option http-buffer-request
        compression algo gzip
        compression type ${TYPES}
        http-request replace-path /shop(/.*) \\1
        ${servers.map((server, index) => `server s${index} ${server}`).join('\n        ')}
`,
    tag: '"1-1"',
  },
};

/** Starts two servers behind a proxy, and returns their public URL. */
async function behind(program: string, { args, configure }: CompressingProxy) {
  const { apiKey, serve } = await aDatabase();
  const port = await aFreePort();
  const url = `http://127.0.0.1:${port}/shop`;
  const servers = [await serve({ PUBLIC_BASE_URL: url }), await serve({ PUBLIC_BASE_URL: url })];
  const folder = await aFolder();
  const file = join(folder, 'proxy.conf');
  await writeFile(file, configure(folder, port, servers.map(addressOf)));
  await startProxy(program, args(file), port);
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json', 'accept-encoding': 'gzip, br' };
  const send = (path: string, method = 'GET', more: Readonly<Record<string, string>> = {}, body?: string) =>
    fetch(new URL(path, `${url}/`), { method, headers: { ...headers, ...more }, ...(body !== undefined && { body }) });
  return { url, apiKey, send };
}

describe.each(Object.entries(PROXIES))('behind %s, which compresses, buffers and removes a path', (program, proxy) => {
  it('the quickstart places, changes, lists and cancels', async () => {
    const { url, apiKey } = await behind(program, proxy);
    const env = { PATH: process.env['PATH'], ORDERS_URL: url, ORDERS_API_KEY: apiKey };
    const story = join(REPOSITORY, 'examples/quickstart/quickstart.ts');
    const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=source', story], { env });
    expect(stdout).toContain('order_already_cancelled');
  });

  it('a change with the tag as it arrived is applied, a stale one is 412, and a known one is 304', async () => {
    const { url, send } = await behind(program, proxy);
    const created = await send('v1/orders', 'POST', {}, AN_ORDER);
    const location = created.headers.get('location') ?? '';
    expect(new URL(location, url).href).toMatch(`${url}/v1/orders/`);
    const read = await send(location);
    const tag = read.headers.get('etag') ?? '';
    expect([tag, read.headers.get('content-encoding')]).toEqual([proxy.tag, program === 'haproxy' ? null : 'gzip']);
    expect(await read.json()).toEqual(await created.json());
    expect((await send(location, 'GET', { 'if-none-match': tag })).status).toBe(304);
    const change = () => send(location, 'PATCH', { 'if-match': tag }, '{"note":"Ring twice"}');
    expect([(await change()).status, (await change()).status]).toEqual([200, 412]);
  });

  it('links lead through the proxy, and a wait for events ends with one', async () => {
    const { url, send } = await behind(program, proxy);
    for (let count = 0; count < 3; count += 1) await send('v1/orders', 'POST', {}, AN_ORDER);
    let seen = 0;
    for (let next: string | undefined = 'v1/orders?limit=1'; next !== undefined; seen += 1) {
      const page: Response = await send(next);
      next = /<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1];
      expect(JSON.stringify(await page.json())).toContain('"version":1');
    }
    expect(seen).toBe(3);
    const problem = await send('v1/nothing');
    const type = `${url}/problems/not-found`;
    expect(await problem.json()).toMatchObject({ type });
    expect((await send(type)).status).toBe(200);
    const latest = await (await send('v1/events?start=latest')).text();
    const [, cursor] = /"next_cursor":"([^"]+)"/.exec(latest) ?? [];
    const waiting = send(`v1/events?wait=10&after=${cursor}`);
    await send('v1/orders', 'POST', {}, AN_ORDER);
    expect(JSON.stringify(await (await waiting).json())).toContain('order.placed');
  });
});
