// Takes the pictures of the documentation from the console of a running `pnpm demo`, by the link that it prints; they belong to
// the first minutes of a demo, before what it trades outweighs its past.
//   node apps/console/scripts/pictures.mjs 'http://127.0.0.1:3001/#sign-in=ops_…'
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inBrowser } from '../../../tools/site/in-browser.mjs';

const [link] = process.argv.slice(2);
const { origin } = new URL(link);
const images = join(import.meta.dirname, '../../../docs/images');
const WHY = 'Why you do this';

await inBrowser(origin, async (page) => {
  const button = (name) => page.getByRole('button', { name }).first();
  const open = async (hash) => {
    await page.goto(`${origin}/#${hash}`);
    await page.waitForLoadState('networkidle');
  };
  const find = async (reference) => {
    await page.getByRole('searchbox').fill(reference);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: reference }).waitFor();
    await page.getByText('web shop').first().waitFor();
    await page.evaluate(() => document.activeElement.blur());
  };
  const cdp = await page.context().newCDPSession(page);
  const take = async (name, height) => {
    await page.setViewportSize({ width: 1120, height });
    const clip = { x: 0, y: 0, width: 1120, height, scale: 1.5 };
    const { data } = await cdp.send('Page.captureScreenshot', { format: 'webp', quality: 75, clip });
    writeFileSync(join(images, `console-${name}.webp`), Buffer.from(data, 'base64'));
  };

  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.setViewportSize({ width: 1120, height: 900 });
  await page.goto(link);
  await button('Sign in to this console').click();
  await page.getByRole('link', { name: 'PO-' }).first().waitFor();

  await open('/overview');
  await page.getByRole('link', { name: 'delivered' }).first().waitFor();
  await take('overview', 860);
  await find('PO-4014');
  await take('order', 1510);
  await open('/orders?status=shipped&currency=EUR&over=100&under=500');
  await page.getByText('filter: owner').click();
  await take('orders', 760);
  await find('PO-4013');
  await button('Correct…').click();
  await page.getByLabel('From cancelled to').selectOption('paid');
  await page.getByLabel(WHY).fill('Cancelled by mistake, ticket 4711');
  await page.getByText('The same in a terminal', { exact: true }).click();
  await take('correct', 800);
  await open('/webhooks');
  await page.getByRole('row', { name: 'has failed' }).getByRole('button').first().click();
  await page.getByText('HTTP 503').first().waitFor();
  await take('webhooks', 760);
  await open('/customers');
  await page.getByLabel('Owner').fill('shop-berlin');
  await page.getByLabel('Email').fill('claire.adler@example.com');
  await button('Show what is stored').click();
  await button('Erase this person…').click();
  await page.getByLabel(WHY).fill('Requested by letter');
  await take('erase', 760);
  await open('/owners');
  await button('Limit or suspend… shop-berlin').click();
  await page.getByLabel('Writes').fill('120');
  await page.getByLabel(WHY).fill('A loop in its import');
  await button('Set this for the owner').click();
  // Once the limit has refused something.
  await page.getByText('429 ×').waitFor();
  await page.getByRole('status').getByText('takes effect').waitFor({ state: 'detached' });
  await take('owners', 560);
});
