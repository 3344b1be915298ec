// Opens the pages of a running server in Chromium, enters the API key in /docs and sends requests from there, under the policy
// of the page.
//   node --conditions=source tools/site/server-in-browser.mjs [FOLDER OF SCREENSHOTS]
import { deepStrictEqual, match, notStrictEqual, ok } from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProgram } from '../system-under-test/src/program.ts';
import { checkLooks, inBrowser } from './in-browser.mjs';

const PAGES = ['/', '/docs', '/problems', '/problems/order-not-found', '/nothing'];
const START_MS = 60_000;
const [screenshots] = process.argv.slice(2);

const folder = mkdtempSync(join(tmpdir(), 'orders-docs-'));
// The embedded PostgreSQL runs as another account when we are root.
chmodSync(folder, 0o711);
const [dataDir, logFile] = [join(folder, 'data'), join(folder, 'log')];
const main = join(import.meta.dirname, '../../apps/server/src/main.ts');
const env = { PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'warn' };
const server = await startProgram(process.execPath, ['--conditions=source', main], { env, logFile });
try {
  await server.says(/listens on \S+/, START_MS);
  const [, url] = /listens on (\S+)/.exec(readFileSync(logFile, 'utf8'));
  const key = readFileSync(join(dataDir, 'demo-api-key'), 'utf8').trim();
  await inBrowser(url, (page, reports) => usePages(page, reports, { url, key }));
  console.log('pages of the server in Chromium look right, and a request from /docs is sent');
} finally {
  server.signal('SIGTERM');
  await server.ended;
  rmSync(folder, { recursive: true, force: true });
}

async function usePages(page, reports, { url, key }) {
  await checkLooks(
    page,
    PAGES.map((path) => url + path),
    screenshots,
  );
  match(reports.splice(0).join('\n'), /^Failed to load.*404[^\n]*$/, 'only that of a page that does not exist');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 900 });

  const isPolicy = /^default-src 'none'; script-src 'self'; style-src 'self';/;
  const landing = await page.goto(url);
  match(landing.headers()['content-security-policy'], isPolicy);
  await page.getByRole('link', { name: 'API reference' }).click();
  await page.waitForURL(`${url}/docs`);
  match((await page.reload()).headers()['content-security-policy'], isPolicy);
  await page.locator('.opblock').first().waitFor();
  deepStrictEqual(await page.locator('.opblock-head').count(), 0);
  await switchesTheme(page);

  await page.getByRole('button', { name: 'Authorize' }).first().click();
  const dialog = page.locator('.dialog-ux');
  await dialog.locator('input').fill(key);
  await dialog.getByRole('button', { name: /^Apply credentials|Authorize$/ }).click();
  await dialog.getByRole('button', { name: 'Close', exact: true }).click();
  await keepsKeyForTab(page, key);

  const operation = page.locator('#operations-Orders-list_orders');
  await operation.locator('.opblock-summary-control').click();
  await operation.getByRole('button', { name: 'Execute' }).click();
  const response = operation.locator('.live-responses-table .response').first();
  await response.waitFor();
  match(await response.locator('.response-col_status').innerText(), /^200/);
  match(await response.locator('.response-col_description').innerText(), /"data": \[/);
  await offersSnippets(page, operation, key);

  await placesTwice(page, 'Orders', 'place_order', ['id', 'reference']);
  await placesTwice(page, 'Customers', 'create_customer', ['id', 'email']);

  // The policy is in force, and the listeners would have heard of a breach.
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'globalThis.ran = true';
    document.body.append(script);
  });
  deepStrictEqual(await page.evaluate('globalThis.ran'), undefined);
  match(reports.splice(0).join('\n'), /Content Security Policy/);
}

/** The reference is dark or light as the system has it, and as the reader chooses from then on. */
async function switchesTheme(page) {
  const becomesDark = (dark) =>
    page.waitForFunction(
      (expected) => (getComputedStyle(document.documentElement).colorScheme === 'dark') === expected,
      dark,
    );
  await becomesDark(false);
  await page.emulateMedia({ colorScheme: 'dark' });
  await becomesDark(true);
  await page.getByRole('button', { name: 'Light mode' }).click();
  await becomesDark(false);
  await page.reload();
  await page.getByRole('button', { name: 'Dark mode' }).click();
  await becomesDark(true);
}

/** The key is there after a reload, in no other tab, and in no storage that outlives the tab. */
async function keepsKeyForTab(page, key) {
  await page.reload();
  await page.locator('.authorize.locked').first().waitFor();
  const stored = (storage) => page.evaluate(`JSON.stringify({ ...${storage} })`);
  ok((await stored('sessionStorage')).includes(key));
  ok(!(await stored('localStorage')).includes(key));
  deepStrictEqual(await page.context().cookies(), []);
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.locator('.authorize').first().waitFor();
  deepStrictEqual(await other.locator('.authorize.locked').count(), 0);
  await other.close();
}

/** The request that was sent can be copied for curl and for JavaScript. That for JavaScript is tried. */
async function offersSnippets(page, operation, key) {
  const snippets = operation.locator('.request-snippets');
  match(await snippets.innerText(), /curl -X 'GET'/);
  await snippets.getByText('JavaScript (fetch)').click();
  const code = await snippets.locator('pre, .curl').last().innerText();
  ok(code.includes(key));
  const status = await page.evaluate(`(async () => { ${code}; return response.status; })()`);
  deepStrictEqual(status, 200);
}

/** Executes an operation twice without an edit: both are done, with values and a request id of their own. */
async function placesTwice(page, tag, id, unique) {
  const operation = page.locator(`#operations-${tag}-${id}`);
  await operation.locator('.opblock-summary-control').click();
  const seen = [];
  for (const attempt of ['first', 'second']) {
    const [response] = await Promise.all([
      page.waitForResponse((each) => each.request().method() === 'POST'),
      operation.getByRole('button', { name: 'Execute' }).click(),
    ]);
    deepStrictEqual([attempt, response.status()], [attempt, 201]);
    const [sent, body] = [await response.request().allHeaders(), await response.json()];
    deepStrictEqual(response.headers()['idempotent-replayed'], undefined);
    seen.push([sent['idempotency-key'], response.headers()['x-request-id'], ...unique.map((name) => body[name])]);
    // What is shown is the response to this request, so that the page has had its turn.
    await operation.locator('.live-responses-table').getByText(body.id).first().waitFor();
  }
  const [first, second] = seen;
  for (const [index, value] of first.entries()) {
    ok(value, `value ${index} is missing`);
    notStrictEqual(value, second[index]);
  }
}
