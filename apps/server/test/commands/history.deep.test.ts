import { userInfo } from 'node:os';
import { openDatabase } from '@orders/persistence';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { run } from '../programs/running-server.ts';
import { aDatabase } from '../programs/server-on-database.ts';

/** Prints how many characters a program has loaded, when it ends. */
const COUNT_LOADED = `
import { writeSync } from 'node:fs';
import { registerHooks } from 'node:module';
let count = 0;
registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context);
    count += loaded.source?.length ?? 0;
    return loaded;
  },
});
process.on('exit', () => writeSync(2, 'loaded ' + count));
`;
/** Of the bundle: neither the HTTP server nor MikroORM, which take a tenth of a second. */
const LOADED_MAX = 3_000_000;

const ITEMS = [{ sku: 'MUG', name: 'Mug, blue', quantity: 2, unit_price: { amount: 1999, currency: 'EUR' } }];

it('pnpm orders find and history show an order by what a person knows of it, which is recorded', async () => {
  const { url } = await aDatabase();
  const database = openDatabase({ url });
  const place = async (owner: string, reference: string) =>
    (
      await database.transaction(({ domain }) =>
        domain.placeOrder(
          owner,
          { items: ITEMS, reference, buyer: { email: 'ada@example.com' } },
          { actor: 'api_key:x' },
        ),
      )
    )._unsafeUnwrap().order;
  const { id } = await place('shop', 'PO-1');
  await place('other', 'PO-2');
  await database.transaction(({ domain }) => domain.cancelOrder('shop', id, { reason: 'a mistake '.repeat(10) }));
  await database.close();
  const orders = (...args: readonly string[]) => run('cli.ts', { DATABASE_URL: url }, args).finished;
  const found = async (...args: readonly string[]) => {
    const { stdout } = await orders('find', ...args, '--json');
    return z
      .array(z.object({ owner: z.string(), reference: z.string() }))
      .parse(JSON.parse(stdout))
      .map((each) => `${each.owner} ${each.reference}`);
  };
  for (const what of [id.toUpperCase(), 'PO-1']) expect(await found(what)).toEqual(['shop PO-1']);
  expect(await found('ADA@example.com', '--owner', 'other')).toEqual(['other PO-2']);
  const total = ['--currency', 'EUR', '--total-from', '39.98', '--total-to', '39.98'];
  expect(await found('--status', 'pending', ...total)).toEqual(['other PO-2']);
  expect((await orders('find', 'PO-3')).stderr).toBe('no owner has such an order\n');
  const wrong = await orders('find', '--total-from', '1.999', '--status', 'x', '--from', 'x');
  expect(wrong.stderr).toMatch(/--status: .*\n.*--from: .*\n.*--total-from: .*\n.*--currency: is required/);

  const shown = await orders('history', 'PO-1', '--reason', 'a ticket');
  expect(shown.stdout).toContain(
    `PO-1 of shop  ${id}\ncancelled, 1 line for 39.98 EUR; version 2, made by api_key:x\n`,
  );
  expect(shown.stdout).toMatch(/ {2}1 {2}order\.placed\n {2}by api_key:x\n(?:.*\n)*? {2}ordered 2 x MUG Mug, blue\n/);
  expect(shown.stdout).toMatch(
    / {2}by unknown\n {2}status: pending -> cancelled\n {2}cancel_reason: - -> a mistake .*\n {6}mistake/,
  );
  expect(Math.max(...shown.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  const json: unknown = JSON.parse((await orders('history', id, '--owner', 'shop', '--json')).stdout);
  expect(json).toMatchObject({ summary: { id }, data: [{ version: 1 }, { version: 2 }] });
  expect((await orders('history', 'ada@example.com')).stderr).toContain('several orders');
  const counting = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(COUNT_LOADED)}` };
  const { stderr } = await run('cli.ts', { DATABASE_URL: url, ...counting }, ['find', 'PO-1']).finished;
  expect(Number(/loaded (\d+)/.exec(stderr)?.[1] ?? Infinity)).toBeLessThan(LOADED_MAX);
  const record = { owner: 'shop', actor: `command:${userInfo().username}`, action: 'get_order_timeline', subject: id };
  const audit: unknown = JSON.parse((await orders('audit', '--owner', 'shop', '--json')).stdout);
  expect(audit).toMatchObject([
    { ...record, reason: null },
    { ...record, reason: 'a ticket' },
  ]);
});
