// Opens the built site in Chromium: pages, the search, dark mode; with no other host within reach.
//   node tools/site/check-in-browser.mjs
import { deepStrictEqual, fail, match, ok } from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { chromium } from 'playwright-core';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const dist = join(import.meta.dirname, 'dist');

/** What people look for, and the page that they need first. */
const SEARCHES = {
  'shipping address': 'not-supported',
  'payment id': 'not-supported',
  gdpr: 'erase-a-person',
  'delete personal data': 'erase-a-person',
  'who cancelled': 'not-supported',
  'zero downtime': 'upgrade',
  'add a line': 'not-supported',
  'retry a request': 'retry-safely',
  'lost update': 'avoid-lost-updates',
  'partial shipment': 'charge-ship-in-parts-refund',
  refund: 'charge-ship-in-parts-refund',
  'import csv': 'move-to-orders',
  'custom data': 'make-it-yours',
  'webhook signature': 'receive-webhooks',
  'api key': 'issue-credentials',
  'back up': 'back-up-and-restore',
  nestjs: 'use-with-nestjs',
  rabbitmq: 'publish-to-a-broker',
  429: 'troubleshoot',
  'environment variables': 'configuration',
};

ok(existsSync(CHROMIUM), `Chromium is not at ${CHROMIUM}; install it or set CHROMIUM`);
const server = createServer(sendFile).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}`;
const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    // As without a network: no other host has an address.
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  ],
});
const errors = [];
try {
  await useSite();
  console.log('the site shows its pages in Chromium, finds one by its search, light and dark');
} catch (cause) {
  // What the page reported may be why.
  throw new Error(`the site failed; errors of the page: ${JSON.stringify(errors)}`, { cause });
} finally {
  await browser.close();
  server.close();
  server.closeAllConnections();
}

async function useSite() {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme: 'light' });
  const elsewhere = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('response', (response) => response.ok() || errors.push(`${response.status()} ${response.url()}`));
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== url) elsewhere.push(request.url());
  });

  // The domain runs in the page, with its rules.
  await page.goto(url);
  await isReady(page);
  await page.getByRole('link', { name: 'try an order in this browser' }).click();
  const play = page.locator('.play');
  for (const [button, shown] of [
    ['Pay', 'order.paid'],
    ['Take 1 back, refund 6.50', 'quantity_not_available'],
    ['Cancel', 'order.cancelled'],
  ]) {
    await play.getByRole('button', { name: button }).click();
    await play.getByText(shown).first().waitFor();
  }

  // No page is wider than the window, and no table wider than its column.
  for (const width of [390, 1366]) {
    await page.setViewportSize({ width, height: 900 });
    for (const path of ['/', '/play', '/reference/api/orders', '/reference/configuration', '/reference/limits']) {
      await page.goto(url + path);
      const wide = await page.evaluate(
        () =>
          [document.documentElement, ...document.querySelectorAll('.vp-doc table')].filter(
            (element) => element.scrollWidth > Math.min(element.parentElement?.clientWidth ?? innerWidth, innerWidth),
          ).length,
      );
      deepStrictEqual(wide, 0, `${path} at ${width} px`);
    }
  }

  await page.goto(`${url}/tutorial`);
  await isReady(page);
  const sidebar = page.locator('.VPSidebar');
  const [first, ...others] = await linksOf(sidebar);
  ok(others.length > 20, 'the sidebar has the pages');
  match(first, /tutorial/);
  for (const folder of ['guides', 'reference', 'decisions']) ok(others.some((link) => link.includes(`/${folder}/`)));

  // By the router of the site, then as a page of its own.
  await sidebar.getByRole('link').first().click();
  await page.waitForURL(/tutorial/);
  // The URL changes before the page does.
  await page.locator('main h1').filter({ hasText: 'Tutorial' }).waitFor();
  const title = await page.locator('main h1').innerText();
  await page.reload();
  await isReady(page);
  deepStrictEqual(await page.locator('main h1').innerText(), title);

  await page.getByRole('button', { name: 'Search' }).first().click();
  for (const [phrase, expected] of Object.entries(SEARCHES)) {
    await page.locator('.VPLocalSearchBox input').fill(phrase);
    const isFirst = (page) => document.querySelector('.VPLocalSearchBox .result')?.href.includes(page);
    await page
      .waitForFunction(isFirst, expected, { timeout: 5000 })
      .catch(() => fail(`"${phrase}" finds ${expected} late`));
  }
  await page.keyboard.press('Escape');

  await page.goto(`${url}/architecture.html`);
  await isReady(page);
  deepStrictEqual(await isDark(page), false);
  await page.getByRole('switch').first().click();
  deepStrictEqual(await isDark(page), true);
  await page.reload();
  deepStrictEqual(await isDark(page), true);

  deepStrictEqual({ errors, elsewhere }, { errors: [], elsewhere: [] });
}

/** Waits until the scripts of the page have taken over what was built. */
async function isReady(page) {
  await page.waitForFunction(() => document.querySelector('#app')?.__vue_app__ !== undefined);
}

async function linksOf(sidebar) {
  await sidebar.waitFor();
  return await sidebar.getByRole('link', { includeHidden: true }).evaluateAll((all) => all.map((each) => each.href));
}

function isDark(page) {
  return page.evaluate(() => document.documentElement.classList.contains('dark'));
}

/** Serves the files of the site as any static host does. */
function sendFile(request, response) {
  const path = join(dist, decodeURI(new URL(request.url, url).pathname));
  const file = [path, join(path, 'index.html'), `${path}.html`].find(
    (each) => existsSync(each) && statSync(each).isFile(),
  );
  if (file === undefined || !file.startsWith(dist)) return response.writeHead(404).end();
  const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };
  const type = types[extname(file)] ?? 'application/octet-stream';
  return response.writeHead(200, { 'content-type': type }).end(readFileSync(file));
}
