// Opens the built site in Chromium: the looks of all pages, the search, an order in the page.
//   node tools/site/site-in-browser.mjs                                  all of it
//   node tools/site/site-in-browser.mjs PATTERN [FOLDER OF SCREENSHOTS]  the looks of the pages whose path matches
import { fail } from 'node:assert/strict';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { checkLooks, inBrowser } from './in-browser.mjs';

const dist = join(import.meta.dirname, 'dist');
const [only = '', pictures] = process.argv.slice(2);

/** Nothing listens there: each request of the page is served from the files. */
const ORIGIN = 'http://127.0.0.1:9';

/** What people look for, and the page that they need first. */
const SEARCHES = {
  'shipping address': 'http-api',
  'payment id': 'find-orders',
  gdpr: 'erase-a-person',
  'delete personal data': 'erase-a-person',
  'who cancelled': 'operate-orders',
  'zero downtime': 'upgrade',
  'add a line': 'add-lines',
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

await inBrowser(ORIGIN, async (page) => {
  await page.route('**', sendFile);
  await checkLooks(page, pagesOf(new RegExp(only)), pictures);
  if (only === '') await useSite(page);
});
console.log(
  'the pages of the site look right in Chromium, an order runs in one, and the search finds what people look for',
);

/** The URLs of the pages whose file matches. */
function pagesOf(part) {
  const files = readdirSync(dist, { recursive: true }).filter((path) => path.endsWith('.html') && part.test(path));
  return files.map((path) => `${ORIGIN}/${path.replace('.html', '').replace(/(^|\/)index$/, '$1')}`);
}

async function useSite(page) {
  await page.setViewportSize({ width: 1280, height: 900 });

  // The domain runs in the page, with its rules.
  await page.goto(ORIGIN);
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

  await page.getByRole('button', { name: 'Search' }).first().click();
  for (const [phrase, expected] of Object.entries(SEARCHES)) {
    await page.locator('.VPLocalSearchBox input').fill(phrase);
    const isFirst = (page) => document.querySelector('.VPLocalSearchBox .result')?.href.includes(page);
    await page
      .waitForFunction(isFirst, expected, { timeout: 5000 })
      .catch(() => fail(`"${phrase}" finds ${expected} late`));
  }
}

/** Waits until the scripts of the page have taken over what was built. */
async function isReady(page) {
  await page.waitForFunction(() => document.querySelector('#app')?.__vue_app__ !== undefined);
}

/** Serves a file as any static host does. */
async function sendFile(route) {
  const path = join(dist, decodeURI(new URL(route.request().url()).pathname));
  const file = [path, join(path, 'index.html'), `${path}.html`].find(
    (each) => existsSync(each) && statSync(each).isFile(),
  );
  await route.fulfill(file ? { path: file } : { status: 404 });
}
