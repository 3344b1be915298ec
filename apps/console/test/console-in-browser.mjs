// Uses the console of a running server in Chromium, by two operators, under the policy of its page: signs in by a link, looks at
// every page light and dark, wide and narrow, and changes an order that another operator has changed. Then plays the questions
// of operators.
//   node --conditions=source apps/console/test/console-in-browser.mjs [FOLDER OF SCREENSHOTS]
import { deepStrictEqual, match, ok } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { checkLooks, inBrowser } from '../../../tools/site/in-browser.mjs';
import { descendantsOf } from '../../../tools/child-processes/src/processes.ts';
import { startProgram } from '../../../tools/system-under-test/src/program.ts';
import { playsQuestions } from './questions.mjs';

const START_MS = 300_000;
/** The compressed size of what the first page loads, and of all files, in bytes. */
const [FIRST_PAGE_MAX, ALL_MAX] = [160_000, 250_000];
const [screenshots] = process.argv.slice(2);
const root = join(import.meta.dirname, '../../..');

execFileSync(process.execPath, [join(root, 'tools/installed.mjs'), '../apps/console', 'build'], { stdio: 'inherit' });
checkSizes();

const folder = mkdtempSync(join(tmpdir(), 'orders-console-'));
// The embedded PostgreSQL runs as another account when we are root.
chmodSync(folder, 0o711);
const source = (name) => ['--conditions=source', join(root, 'apps/server/src', name)];
const env = { ...process.env, PORT: '0', ADMIN_PORT: '0', LOG_LEVEL: 'error', WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32' };
let logFile;
let server;
try {
  const shop = await starts('shop');
  const ports = { PORT: new URL(shop.url).port, ADMIN_PORT: new URL(shop.consoleUrl).port };
  const outages = { server: () => serverIsKilled(ports), database: () => databaseIsSilent(shop.url) };
  await inBrowser(shop.consoleUrl, (page, reports) => useConsole(page, reports, { ...shop, outages }));
  await ends();
  const rental = await starts('rental', { ORDERS_DEFINITION: join(root, 'examples/rental/orders.definition.ts') });
  await inBrowser(rental.consoleUrl, (page, reports) => showsRental(page, reports, rental));
  await ends();
  delete env.ORDERS_DEFINITION;
  const demo = await starts('demo', {}, '../scripts/demo.ts', /shops trade/);
  await inBrowser(demo.consoleUrl, async (page) => {
    await signsIn(page, demo.consoleUrl, demo.link('create', 'Ada', '--role', 'admin'));
    await playsQuestions(page, demo.consoleUrl, env.DATA_DIR);
  });
  console.log('the console in Chromium looks right, and does what it shows');
} finally {
  await ends();
  rmSync(folder, { recursive: true, force: true });
}

/** Starts a server on data of its own. Returns where it is, and what uses it. */
async function starts(name, more = {}, file = 'main.ts', pattern = /curl/) {
  Object.assign(env, more, { DATA_DIR: join(folder, name) });
  logFile = join(folder, `${name}.log`);
  await runs(env, file, pattern);
  const [, url, consoleUrl] = /listens on (\S+)[^]*Console: +(\S+)/.exec(readFileSync(logFile, 'utf8'));
  const key = readFileSync(join(env.DATA_DIR, 'demo-api-key'), 'utf8').trim();
  const api = client(url, { 'x-api-key': key });
  return { url, consoleUrl, key, api, link: (...words) => signInLink(consoleUrl, words) };
}

async function runs(its, file, pattern) {
  server = await startProgram(process.execPath, source(file), { env: its, logFile });
  // Its end may be what it says last.
  await server.says(pattern, START_MS).catch((cause) => {
    throw new Error(readFileSync(logFile, 'utf8'), { cause });
  });
}

async function ends() {
  server?.signal('SIGTERM');
  await server?.ended;
}

/** Each outage returns what ends it. */
async function serverIsKilled(ports) {
  server.signal('SIGKILL');
  await server.ended;
  return () => runs({ ...env, ...ports }, 'main.ts', /curl/);
}

/** The database alone: its processes are stopped, so that no statement ends. */
async function databaseIsSilent(url) {
  const parent = Number(readFileSync(join(env.DATA_DIR, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const signal = (name) => {
    for (const pid of [parent, ...descendantsOf(parent).map((child) => child.pid)]) process.kill(pid, name);
  };
  signal('SIGSTOP');
  while ((await fetch(`${url}/readyz`)).status !== 503) await sleep(100);
  return () => signal('SIGCONT');
}

/** Returns what a command on operators prints: a link, at the port that the listener has. */
function signInLink(consoleUrl, words) {
  const args = [...source('cli.ts'), 'operators', ...words];
  const printed = execFileSync(process.execPath, args, {
    env: { ...env, ADMIN_PUBLIC_URL: consoleUrl },
    encoding: 'utf8',
  });
  return printed.trim();
}

function client(base, headers) {
  return async (method, path, body, more = {}) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const sent = { method, headers: { ...headers, 'content-type': type, ...more } };
    const response = await fetch(base + path, { ...sent, ...(body && { body: JSON.stringify(body) }) });
    ok(response.ok, `${method} ${path}: ${response.status}`);
    return await response.json();
  };
}

function checkSizes() {
  const dist = join(import.meta.dirname, '../dist');
  const sizeOf = (names) => names.reduce((sum, name) => sum + gzipSync(readFileSync(join(dist, name))).length, 0);
  const all = globSync('**/*.{js,css,html,svg}', { cwd: dist });
  const page = readFileSync(join(dist, 'index.html'), 'utf8');
  const first = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, name]) => name);
  console.log(`first page ${sizeOf(first)} bytes compressed, all ${sizeOf(all)}`);
  ok(sizeOf(first) <= FIRST_PAGE_MAX && sizeOf(all) <= ALL_MAX, 'the console is too large');
}

async function useConsole(page, reports, { api, key, consoleUrl: url, link, outages }) {
  const items = [
    { sku: 'TEA-100', name: 'Green tea, 100 g', quantity: 3, unit_price: { amount: 650, currency: 'EUR' } },
  ];
  const buyer = { name: 'Mira Adler', email: 'mira@example.com' };
  const address = { name: 'Mira Adler', line1: 'Long Street 1', city: 'Berlin', country: 'DE' };
  // No receiver is there, so that something went wrong with each order.
  const endpoint = await api('POST', '/v1/webhook_endpoints', { url: 'http://127.0.0.1:9/', types: ['order.placed'] });
  const order = await api('POST', '/v1/orders', { items, buyer, shipping_address: address, reference: 'PO-4711' });
  await api('POST', '/v1/orders', { items, reference: 'PO-4712' });
  const deliveries = async () => (await api('GET', `/v1/webhook_endpoints/${endpoint.id}/deliveries`)).data;
  while (!(await deliveries()).some(({ attempts }) => attempts > 0)) await sleep(100);
  await api('PATCH', `/v1/orders/${order.id}`, { status: 'paid' });
  await api('POST', `/v1/orders/${order.id}/fulfillments`, { items: [{ item_id: order.items[0].id, quantity: 1 }] });

  const policy = (await page.goto(url)).headers()['content-security-policy'];
  match(policy, /script-src 'self'; style-src 'self';.*trusted-types 'none'$/);
  await signsIn(page, url, link('create', 'Ada', '--role', 'support'));
  const ofOrder = [`/orders/${order.id}`, `/orders/${order.id}?as_of=1`, '/orders/nothing'];
  const pages = ['/orders', '/orders?status=paid', ...ofOrder, '/customers', '/webhooks', '/owners', '/overview'];
  await checkLooks(
    page,
    pages.map((path) => `${url}/#${path}`),
    screenshots,
  );
  match(
    reports.splice(0).join('\n'),
    /^(Failed to load[^\n]*(404|400)[^\n]*\n?)*$/,
    'only those of a page that does not exist',
  );
  await page.setViewportSize({ width: 1280, height: 900 });
  await opensSharedLink(page, url);
  await showsFault(page, url, order);
  await showsServer(page, url);
  await page.goto(`${url}/#/orders`);
  await cancelsInTerminal(page, api, key);
  await findsByKeyboard(page, order);
  await savesOnTop(page, api, order, reports);
  await comments(page);
  await changesData(page, api, order);
  for (const [what, goesDown] of Object.entries(outages)) await survivesOutage(page, reports, what, goesDown);
  await keepsWhatWasTyped(page, order, link, reports);
  await rotatesSecret(page, url, link);
  await showsNothingPersonal(page, url, order, link);
  await holdsPolicy(page, reports);
}

/** A link from another browser has an owner as a digest, which this one has never made. */
async function opensSharedLink(page, url) {
  await page.goto(`${url}/#/owners?select=all`);
  await page.getByRole('link', { name: 'demo' }).click();
  await page.waitForURL(/owner=/);
  const shared = page.url();
  await page.evaluate(() => localStorage.removeItem('orders-owners'));
  await page.goto('about:blank');
  await page.goto(shared);
  await page.getByRole('button', { name: 'Remove demo' }).waitFor();
  await page.getByRole('link', { name: 'PO-4711' }).waitFor();
  deepStrictEqual(await page.getByRole('button', { name: 'Cancel these…' }).count(), 0, 'support cancels one by one');
  await page.goto(`${url}/#/orders?owner=nobody`);
  await page.getByText('No owner has the digest in this link').waitFor();
}

/** What went wrong is a sentence of the order, and leads to the endpoint. */
async function showsFault(page, url, { id }) {
  await page.goto(`${url}/#/orders/${id}`);
  await page.getByText(/127.0.0.1:9 has not got the event order.placed yet/).waitFor();
  await page.getByRole('link', { name: 'Look at the endpoint' }).click();
  await page.getByRole('heading', { name: 'Deliveries that wait' }).waitFor();
  await page.goto(`${url}/#/webhooks?status=pending&from=2020-01-01T00%3A00%3A00.000Z`);
  await page.getByRole('link', { name: 'order placed' }).first().waitFor();
  await page.getByRole('button', { name: 'Test… 127.0.0.1:9' }).click();
  await page.getByLabel('Why you do this').fill('Ticket 4710');
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('Not accepted: connection failed').waitFor();
  await page.keyboard.press('Escape');
  deepStrictEqual(await page.getByRole('button', { name: 'Rotate secret…' }).count(), 0, 'support rotates no secret');
}

/** How this server is opens in place, by keys alone. */
async function showsServer(page, url) {
  await page.goto(`${url}/#/overview`);
  await page.locator('summary', { hasText: /^Ready.*Schema orders/ }).focus();
  await page.keyboard.press('Enter');
  await page.getByText(/release PostgreSQL 18/).waitFor();
}

/** The link is used by a button alone, and is in no history. */
async function signsIn(page, url, opened) {
  await page.goto(opened);
  await page.getByRole('button', { name: 'Sign in to this console' }).waitFor();
  ok(!page.url().includes('ops_'), 'the history has the token');
  await page.getByRole('button', { name: 'Sign in to this console' }).click();
  await page.getByRole('heading', { name: 'Orders' }).waitFor();
  await page.waitForURL(`${url}/#/orders`);
  deepStrictEqual(await page.context().cookies(), []);
}

async function findsByKeyboard(page, { id, reference }) {
  await page.keyboard.press('g');
  await page.keyboard.press('o');
  await page.getByRole('link', { name: reference }).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`#/orders/${id}$`));
  await page.getByRole('link', { name: 'As of here' }).first().waitFor();
  for (const key of ['j', 'j', 'k', 'Enter']) await page.keyboard.press(key);
  await page.waitForURL(/as_of=1$/);
  await page.keyboard.press('/');
  for (const text of ['PO-4712', id]) {
    await page.getByRole('searchbox').fill(text);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: text === id ? reference : text }).waitFor();
  }
}

/** What another one changed since the page was opened is shown, and saved on top of. */
async function savesOnTop(page, api, { id }, reports) {
  await page.getByRole('button', { name: 'Refund or charge…' }).click();
  await page.getByLabel('Amount in EUR').fill('6.50');
  await page.getByLabel('Name', { exact: true }).fill('Torn packet');
  await page.getByLabel('Why you do this').fill('Ticket 4711');
  match(
    await page.getByRole('dialog').locator('code').textContent(),
    / -H 'Orders-Owner: demo' /,
    'a shell expands it',
  );
  await api('PATCH', `/v1/orders/${id}`, { note: 'Ring twice' });
  await page.getByRole('button', { name: 'Add to the order' }).click();
  const conflict = page.getByRole('alert');
  await conflict.getByText(/Changed by/).waitFor();
  await conflict.getByText('Ring twice').waitFor();
  match(reports.splice(0).join('\n'), /^Failed to load.*412[^\n]*$/);
  await conflict.getByRole('button', { name: 'Load the change' }).click();
  deepStrictEqual(await page.getByLabel('Amount in EUR').inputValue(), '6.50');
  await page.getByRole('button', { name: 'Add to the order' }).click();
  await page.getByText('refund “Torn packet”').waitFor();
  const { total, note } = await api('GET', `/v1/orders/${id}`);
  deepStrictEqual([total.amount, note], [1300, 'Ring twice']);
}

/** A comment of an operator is in the timeline, whether the dialog writes it or the command that it shows. */
async function comments(page) {
  await page.getByRole('button', { name: 'Comment…' }).click();
  await page.getByLabel('Text').fill("It's the buyer");
  runShown(await commandOf(page));
  await page.getByLabel('Text').fill('The buyer called');
  await page.getByRole('button', { name: 'Add the comment' }).click();
  await page.getByText('“The buyer called”').waitFor();
  await page.getByText("“It's the buyer”").waitFor();
}

/**
 * A comment whose response is lost, and then the server or its database, is written once: its dialog keeps text and key, over a reload too, and
 * the page says that the server is down, and recovers by itself.
 */
async function survivesOutage(page, reports, what, goesDown) {
  const text = `Called back without ${what}`;
  const add = page.getByRole('button', { name: 'Add the comment' });
  await page.route('**/comments', (route) => route.fetch().then(() => route.abort()), { times: 1 });
  await page.getByRole('button', { name: 'Comment…' }).click();
  await page.getByLabel('Text').fill(text);
  await add.click();
  await page.getByText('Whether it was done is not known').waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Comment…' }).waitFor();
  await page.waitForFunction(() => performance.getEntries().some(({ name }) => name.includes('/assets/forms-')));
  const down = page.getByText('The server or its database does not respond');
  const comesBack = await goesDown();
  try {
    await page.getByRole('button', { name: 'Comment…' }).click();
    deepStrictEqual(await page.getByLabel('Text').inputValue(), text);
    await add.click();
    await down.waitFor();
    await page.getByRole('button', { name: 'Cancel…', disabled: true, includeHidden: true }).waitFor();
  } finally {
    await comesBack();
  }
  await down.waitFor({ state: 'detached' });
  await add.click();
  await page.getByText(`“${text}”`).waitFor();
  deepStrictEqual(await page.getByText(`“${text}”`).count(), 1, 'it is doubled');
  match(reports.splice(0).join('\n'), /^(Failed to load[^\n]*(ERR_\w+|503)[^\n]*\n?)+$/);
}

/** What a definition of one's own has, statuses, custom data, lookups and what a guard refuses, is there without a line of code. */
async function showsRental(page, reports, { api, consoleUrl, link }) {
  const items = [{ sku: 'SAW', name: 'Chain saw', quantity: 1, unit_price: { amount: 2900, currency: 'EUR' } }];
  const custom = { from: '2026-05-01', to: '2026-05-02', contract: 'R-17' };
  const { id } = await api('POST', '/v1/orders', { items, custom, reference: 'PO-1' });
  await api('POST', '/v1/orders', { items, custom: { ...custom, contract: 'R-18' } });
  for (const status of ['paid', 'picked_up']) await api('PATCH', `/v1/orders/${id}`, { status });
  await signsIn(page, consoleUrl, link('create', 'Ada', '--role', 'support'));
  await page.getByRole('searchbox').fill('contract:R-17');
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`#/orders/${id}$`));
  await page.getByText('2026-05-02').first().waitFor();
  await page.getByText('picked up', { exact: true }).first().waitFor();
  await page.getByText('More…', { exact: true }).click();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByLabel('Type PO-1 to confirm').fill('PO-1');
  await page.getByLabel('Why you do this').fill('Ticket 4718');
  await page.getByRole('button', { name: 'Delete the order' }).click();
  await page.getByRole('alert').getByText('must be returned before it is deleted').waitFor();
  match(reports.splice(0).join('\n'), /^Failed to load[^\n]*409[^\n]*$/);
}

/** What has no button of its own: a line, an address, and what was not sent after all. */
async function changesData(page, api, { id }) {
  const open = async (name) => {
    await page.getByText('More…', { exact: true }).click();
    await page.getByRole('button', { name }).click();
    await page.getByLabel('Why you do this').fill('Ticket 4714');
  };
  const save = async (name) => {
    await page.getByRole('button', { name }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    return await api('GET', `/v1/orders/${id}`);
  };
  await open('Add a line…');
  const line = { SKU: 'CUP', Name: 'Cup', Quantity: '2', 'Price of one in EUR': '9,5' };
  for (const [name, text] of Object.entries(line)) await page.getByLabel(name, { exact: true }).fill(text);
  const [, added] = (await save('Add the line')).items;
  deepStrictEqual([added.sku, added.quantity, added.unit_price.amount], ['CUP', 2, 950]);
  await open('Change data…');
  await page.getByLabel('line1').fill('Short Street 2');
  await page.getByLabel('city').fill('');
  const { line1, city, country } = (await save('Change it')).shipping_address;
  deepStrictEqual([line1, city, country], ['Short Street 2', null, 'DE']);
  await open('Was not sent…');
  deepStrictEqual((await save('They were not sent')).items[0].fulfilled_quantity, 0);
}

async function cancelsInTerminal(page, api, key) {
  await page.getByRole('link', { name: 'PO-4712' }).click();
  await page.getByRole('button', { name: 'Cancel…' }).click();
  await page.getByLabel('Reason for the owner').fill('not paid');
  runShown(await commandOf(page), key);
  const { data } = await api('GET', '/v1/orders?reference=PO-4712');
  deepStrictEqual(data[0].status, 'cancelled');
  await page.keyboard.press('Escape');
}

async function commandOf(page) {
  await page.getByText('The same in a terminal', { exact: true }).click();
  return await page.getByRole('dialog').locator('code').innerText();
}

function runShown(command, key) {
  const orders = [process.execPath, ...source('cli.ts')].join(' ');
  execFileSync('sh', ['-c', command.replace('orders ', `${orders} `)], { env: { ...env, KEY: key } });
}

/** A session that ends while something is typed takes nothing with it. */
async function keepsWhatWasTyped(page, { id }, link, reports) {
  await page.getByRole('button', { name: 'Cancel…' }).click();
  await page.getByLabel('Why you do this').fill('Ticket 4712');
  const operator = await page.evaluate(async () => {
    const headers = { authorization: `Bearer ${localStorage.getItem('orders-session')}` };
    const { id } = await (await fetch('/admin/v1/session', { headers })).json();
    await fetch('/admin/v1/session', { method: 'DELETE', headers });
    return id;
  });
  await page.getByRole('button', { name: 'Cancel the order' }).click();
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
  await page.getByLabel('Link or token').fill(link('link', operator));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor({ state: 'detached' });
  match(reports.splice(0).join('\n'), /^(Failed to load[^\n]*401[^\n]*\n?)+$/);
  deepStrictEqual(await page.getByLabel('Why you do this').inputValue(), 'Ticket 4712');
  await page.getByRole('button', { name: 'Cancel the order' }).click();
  await page.getByText('Ada, operator').first().waitFor();
  await page.reload();
  await page.getByText('cancelled', { exact: true }).first().waitFor();
  ok(page.url().includes(id));
}

/** A new secret is in one dialog, which no key closes, and nowhere else. */
async function rotatesSecret(page, url, link) {
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Orders console' }).waitFor();
  await signsIn(page, url, link('create', 'Olu', '--role', 'admin'));
  await page.goto(`${url}/#/webhooks`);
  await page.getByRole('button', { name: 'Rotate secret… 127.0.0.1:9' }).click();
  await page.getByLabel('Why you do this').fill('Ticket 4713');
  // While the response is under way, which alone has the secret, nothing closes the dialog.
  const { promise: response, resolve: respond } = Promise.withResolvers();
  await page.route('**/secrets', (route) => response.then(() => route.continue()), { times: 1 });
  await page.getByRole('button', { name: 'Rotate the secret' }).click();
  await page.getByRole('button', { name: 'Close', disabled: true }).waitFor();
  for (const key of ['Escape', 'Escape', 'Escape']) await page.keyboard.press(key);
  respond();
  const secret = page.getByText(/^whsec_/);
  await secret.waitFor();
  for (const key of ['Escape', 'Escape', 'Escape']) await page.keyboard.press(key);
  const shown = await secret.innerText();
  const kept = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]));
  ok(!kept.includes(shown), 'the browser has stored the secret');
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await secret.waitFor({ state: 'detached' });
}

async function showsNothingPersonal(page, url, { id }, link) {
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Orders console' }).waitFor();
  await signsIn(page, url, link('create', 'Vik', '--role', 'viewer'));
  await page.goto(`${url}/#/orders/${id}`);
  await page.getByText('Hidden from your role').first().waitFor();
  await page.getByRole('heading', { name: 'What happened' }).waitFor();
  const text = await page.locator('body').innerText();
  deepStrictEqual(/Mira|mira@|Long Street|Ring twice|buyer called|Cancel…/.exec(text), null);
}

/** Text does not become code, by whatever way. */
async function holdsPolicy(page, reports) {
  const failed = await page.evaluate(() => {
    try {
      document.body.insertAdjacentHTML('beforeend', '<b>text</b>');
      return '';
    } catch (error) {
      return String(error);
    }
  });
  match(failed, /TrustedHTML/);
  match(reports.splice(0).join('\n'), /TrustedHTML/);
}
