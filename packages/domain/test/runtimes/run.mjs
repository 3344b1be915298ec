// Packs the domain, installs the tarball in an empty folder, and runs the same scenario on every runtime. Then checks
// the size of the entry points. Requires Chromium.
//   node run.mjs             on a new tarball
//   node run.mjs TARBALL     on one that is there
import { deepStrictEqual, ok } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EXPECTED, EXPECTED_OF_FEED, EXPECTED_OF_SIMULATION } from './scenario.mjs';

const TOOLS = [
  'bun@1.4.5',
  'deno@2.9.6',
  'esbuild@0.28.2',
  'node22@npm:node@22.23.3',
  'pako@3.0.3',
  'playwright-core@1.65.1',
];
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
/** Maximum sizes of the entry points in bytes: minified, compressed, without neverthrow. A word more must not be a failure. */
const SIZE_MAX = { custom: 1536, index: 31_232, events: 9792, runtime: 28_160, statistics: 3456 };

const here = import.meta.dirname;
const folder = mkdtempSync(join(tmpdir(), 'orders-runtimes-'));
try {
  const run = (program, ...args) => execFileSync(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  const tarball = process.argv.length > 2 ? resolve(process.argv[2]) : pack();
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  for (const file of ['scenario.mjs', 'check-scenario.mjs', 'page.html'])
    copyFileSync(join(here, file), join(folder, file));
  run('npm', 'install', '--no-audit', '--no-fund', '--silent', tarball, ...TOOLS);
  const tool = (name) => join(folder, 'node_modules', name);

  run(process.execPath, 'check-scenario.mjs');
  console.log(`Node.js ${process.version} passes`);
  run(tool('node22/bin/node'), 'check-scenario.mjs');
  console.log('Node.js 22 passes');
  run(tool('.bin/bun'), 'check-scenario.mjs');
  console.log('Bun passes');
  run(tool('.bin/deno'), 'run', '--allow-read', '--allow-env', 'check-scenario.mjs');
  console.log('Deno passes');
  await runInBrowser();
  console.log('a page in Chromium passes');

  // Not node:zlib: how many bytes it makes depends on the instructions of the processor.
  const { gzip } = createRequire(join(folder, 'package.json'))('pako');
  const options = ['--bundle', '--minify', '--format=esm', '--external:neverthrow', '--log-level=error'];
  for (const [name, max] of Object.entries(SIZE_MAX)) {
    const entry = join(tool('@orders/domain'), `dist/${name}.js`);
    const size = gzip(run(tool('.bin/esbuild'), entry, ...options), { level: 9 }).length;
    console.log(`the entry point ${name} has ${size} of at most ${max} bytes`);
    ok(size <= max);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function pack() {
  execFileSync('npx', ['--yes', 'pnpm@12.21.0', 'pack', '--pack-destination', folder], {
    cwd: join(here, '../..'),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [name] = readdirSync(folder).filter((each) => each.endsWith('.tgz'));
  return join(folder, name);
}

async function runInBrowser() {
  ok(existsSync(CHROMIUM), `Chromium is not at ${CHROMIUM}; install it or set CHROMIUM`);
  const types = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript' };
  const server = createServer(({ url }, response) => {
    const path = join(folder, new URL(url, 'http://page').pathname);
    if (!existsSync(path)) return response.writeHead(404).end();
    return response.writeHead(200, { 'content-type': types[extname(path)] }).end(readFileSync(path));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
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
    await page.goto(`http://127.0.0.1:${server.address().port}/page.html`);
    await page.waitForFunction('globalThis.outcomes !== undefined', undefined, { timeout: 60_000 }).catch((error) => {
      throw new Error(`the page returned no outcomes: ${pageErrors.join('; ')}`, { cause: error });
    });
    deepStrictEqual(await page.evaluate('globalThis.outcomes'), [
      ...EXPECTED,
      ...EXPECTED_OF_FEED,
      ...EXPECTED_OF_SIMULATION,
    ]);
  } finally {
    await browser.close();
    server.close();
  }
}
