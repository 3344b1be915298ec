import { deepStrictEqual, ok } from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const THEMES = ['light', 'dark'];
const WIDTHS = [1440, 1366, 390];
/** A time limit finds what hangs; it is no measure of speed, and holds on a busy machine too. */
const LIMIT_MS = 120_000;

/** Uses a page of Chromium, to which no host exists but that of `origin`, and which may report nothing and load nothing else. */
export async function inBrowser(origin, use) {
  ok(existsSync(CHROMIUM), `Chromium is not at ${CHROMIUM}; install it or set CHROMIUM`);
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
  const reports = [];
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, colorScheme: 'light' });
    context.setDefaultTimeout(LIMIT_MS);
    const page = await context.newPage();
    page.on('pageerror', (error) => reports.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && reports.push(message.text()));
    page.on('request', (request) => {
      if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== origin) reports.push(request.url());
    });
    await use(page, reports);
    deepStrictEqual(reports, []);
  } catch (cause) {
    // What the page reported may be why.
    throw new Error(`failed in Chromium; the page reports ${JSON.stringify(reports)}`, { cause });
  } finally {
    await browser.close();
  }
}

/**
 * Fails unless each page looks right, light and dark, wide and narrow: axe finds nothing, the page is no wider than the
 * window, and no table is wider than its column, unless that scrolls.
 */
export async function checkLooks(page, urls, pictures) {
  const faults = [];
  const looks = THEMES.flatMap((colorScheme) => WIDTHS.map((width) => ({ colorScheme, width })));
  for (const url of urls) {
    await page.goto(url, { waitUntil: 'networkidle' });
    await page.locator('h1').first().waitFor();
    await page.evaluate(AXE);
    for (const { colorScheme, width } of looks) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 900 });
      const found = await page.evaluate(faultsOfLook);
      faults.push(...found.map((fault) => `${url} ${colorScheme} ${width}: ${fault}`));
      const { pathname, hash } = new URL(url);
      const name = `${`${pathname}${hash}`.replaceAll(/[^\w=]+/g, '-').slice(1) || 'index'}-${colorScheme}-${width}.png`;
      if (pictures) await page.screenshot({ path: join(pictures, name) });
    }
  }
  deepStrictEqual(faults, []);
}

/** Runs in the page. */
async function faultsOfLook() {
  const { violations } = await globalThis.axe.run({ resultTypes: ['violations'] });
  const wide = [document.documentElement, ...document.querySelectorAll('table')].filter(
    ({ scrollWidth, parentElement: column }) =>
      scrollWidth > Math.min(column?.clientWidth ?? innerWidth, innerWidth) &&
      !(column && getComputedStyle(column).overflowX === 'auto'),
  );
  return [
    ...violations.map(
      ({ id, nodes }) =>
        `${id} ${nodes
          .slice(0, 3)
          .map(({ target, any }) => `${target} ${any[0]?.message ?? ''}`)
          .join(', ')}`,
    ),
    ...wide.map((element) => `${element.localName} of ${element.scrollWidth} px`),
  ];
}
