// Packs the client, installs the tarball in an empty folder, and runs the same scenario on every runtime, against a server of
// orders with a store in memory. Then installs the domain beside it, and runs the same orders embedded. Last, it checks the
// size of the client, and what of it a bundler leaves out. Requires Chromium.
//   node --conditions=source run.mjs                   on new tarballs
//   node --conditions=source run.mjs CLIENT DOMAIN     on those that are there
import { deepStrictEqual, ok } from 'node:assert';
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { createDomain } from '@orders/domain';
import { systemClock, uuidv7Ids } from '@orders/domain/runtime';
import { inMemoryStore } from '@orders/domain/testing';
import { apiKeys, authenticateBy, newApiKey, ordersHttp, ordersServerOptions, SCOPES } from '@orders/http-adapter';
import { fastify } from 'fastify';
import { okAsync } from 'neverthrow';
import { EXPECTED } from './scenario.mjs';

const TOOLS = [
  'bun@1.4.5',
  'deno@2.9.6',
  'esbuild@0.28.2',
  'node22@npm:node@22.23.3',
  'pako@3.0.3',
  'playwright-core@1.65.1',
];
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
/** Maximum sizes in bytes: minified, compressed, without neverthrow. */
const SIZE_MAX = { 'a client': 8192, 'verifyWebhook alone': 1280, embedded: 4416 };

const here = import.meta.dirname;
const folder = mkdtempSync(join(tmpdir(), 'orders-client-runtimes-'));
const pages = createServer(servePage);
await once(pages.listen(0, '127.0.0.1'), 'listening');
const origin = `http://127.0.0.1:${pages.address().port}`;
const { key: apiKey, hash } = newApiKey();
const server = await serveOrders();
const baseUrl = `http://127.0.0.1:${server.server.address().port}`;
try {
  const run = (program, ...args) => promisify(execFile)(program, args, { cwd: folder, maxBuffer: 2 ** 26 });
  const [client, domain] = process.argv.length > 2 ? process.argv.slice(2).map((path) => resolve(path)) : pack();
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  for (const file of ['scenario.mjs', 'check-scenario.mjs', 'check-embedded.mjs', 'page.html'])
    copyFileSync(join(here, file), join(folder, file));
  const install = (...names) => run('npm', 'install', '--no-audit', '--no-fund', '--silent', ...names);
  await install(client, ...TOOLS);
  const tool = (name) => join(folder, 'node_modules', name);
  deepStrictEqual(existsSync(tool('@orders/domain')), false);

  const runtimes = [
    [`Node.js ${process.version}`, process.execPath],
    ['Node.js 22', tool('node22/bin/node')],
    ['Bun', tool('.bin/bun')],
    ['Deno', tool('.bin/deno'), 'run', '--allow-read', '--allow-env', '--allow-net=127.0.0.1'],
  ];
  for (const [label, ...program] of runtimes) {
    await run(...program, 'check-scenario.mjs', baseUrl, apiKey, label);
    console.log(`${label} passes`);
  }
  await runInBrowser();
  console.log('a page in Chromium passes');
  await install(domain);
  for (const [label, ...program] of runtimes) {
    await run(...program, 'check-embedded.mjs');
    console.log(`${label} passes embedded`);
  }

  const sources = {
    'a client': "export { createOrdersClient } from '@orders/client';",
    'verifyWebhook alone': "export { verifyWebhook } from '@orders/client';",
    embedded: "export * from '@orders/client/embedded';",
  };
  // Not node:zlib: how many bytes it makes depends on the instructions of the processor.
  const { gzip } = createRequire(join(folder, 'package.json'))('pako');
  for (const [name, source] of Object.entries(sources)) {
    writeFileSync(join(folder, 'entry.js'), source);
    const external = ['--external:neverthrow', '--external:@orders/domain'];
    const options = ['--bundle', '--minify', '--format=esm', ...external, '--log-level=error'];
    const { stdout } = await run(tool('.bin/esbuild'), 'entry.js', ...options);
    const size = gzip(stdout, { level: 9 }).length;
    console.log(`${name} has ${size} of at most ${SIZE_MAX[name]} bytes`);
    ok(size <= SIZE_MAX[name]);
    ok(stdout.includes('/orders') === (name === 'a client'), 'a bundler leaves out what is not used');
  }
} finally {
  pages.close();
  server.server.closeAllConnections();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}

function pack() {
  return ['client', 'domain'].map((name) => {
    execFileSync('npx', ['--yes', 'pnpm@12.21.0', 'pack', '--pack-destination', folder], {
      cwd: join(here, '../../..', name),
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return join(
      folder,
      readdirSync(folder).find((each) => each.startsWith(`orders-${name}-`)),
    );
  });
}

async function serveOrders() {
  const { orders, customers, feed } = inMemoryStore();
  const stored = { prefix: 'ord_test', owner: 'acme', scopes: [...SCOPES], expires_at: null, revoked_at: null };
  const find = (searched) => okAsync(searched === hash ? stored : null);
  const base = 'https://api.example.test';
  const app = fastify(ordersServerOptions(base, { corsOrigins: [origin] }));
  await app.register(ordersHttp, {
    domain: createDomain({ orders, customers, clock: systemClock, ids: uuidv7Ids() }),
    feed,
    authentication: authenticateBy(apiKeys({ find }, () => new Date())),
    publicBaseUrl: base,
    corsOrigins: [origin],
    rateLimits: { read: 0, write: 0, anonymous: 0, public: 0 },
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return app;
}

function servePage({ url }, response) {
  const types = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript' };
  const path = join(folder, new URL(url, 'http://page').pathname);
  if (!existsSync(path)) return response.writeHead(404).end();
  return response.writeHead(200, { 'content-type': types[extname(path)] }).end(readFileSync(path));
}

async function runInBrowser() {
  ok(existsSync(CHROMIUM), `Chromium is not at ${CHROMIUM}; install it or set CHROMIUM`);
  const playwright = createRequire(join(folder, 'package.json')).resolve('playwright-core');
  const {
    default: { chromium },
  } = await import(pathToFileURL(playwright).href);
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  });
  try {
    const page = await browser.newPage();
    const pageErrors = [];
    page.on('pageerror', (error) => pageErrors.push(String(error)));
    const given = encodeURIComponent(JSON.stringify([baseUrl, apiKey, 'Chromium']));
    await page.goto(`${origin}/page.html#${given}`);
    await page.waitForFunction('globalThis.outcomes !== undefined', undefined, { timeout: 60_000 }).catch((error) => {
      throw new Error(`the page returned no outcomes: ${pageErrors.join('; ')}`, { cause: error });
    });
    deepStrictEqual(await page.evaluate('globalThis.outcomes'), EXPECTED);
  } finally {
    await browser.close();
  }
}
