import { userInfo } from 'node:os';
import { defineOrders, ORDERS } from '@orders/domain';
import { openDatabase } from '@orders/persistence';
import { expect, it } from 'vitest';
import { run } from '../programs/running-server.ts';
import { aDatabase } from '../programs/server-on-database.ts';

const ITEMS = [{ sku: 'MUG', name: 'Mug', quantity: 1, unit_price: { amount: 1999, currency: 'EUR' } }];

/** The definition before a status was removed. */
const BEFORE = defineOrders({
  lifecycle: { ...ORDERS.lifecycle, pending: ['held', 'paid', 'cancelled'], held: ['pending'] },
  initial: 'pending',
  cancel: 'cancelled',
});

it('pnpm orders correct takes an order out of a status that the definition has lost, which is recorded', async () => {
  const { url, execute } = await aDatabase();
  const database = openDatabase({ url, definition: BEFORE });
  const held = await database.transaction(async ({ domain }) => {
    const { order } = (await domain.placeOrder('shop', { items: ITEMS }))._unsafeUnwrap();
    return domain.changeOrder('shop', order.id, { status: 'held' });
  });
  await database.close();
  const { id } = held._unsafeUnwrap().order;
  const orders = (...args: readonly string[]) => run('cli.ts', { DATABASE_URL: url }, args).finished;
  const correct = (status: string, of = id, reason = 'no longer held') =>
    orders('correct', of, '--owner', 'shop', '--status', status, '--reason', reason);
  const refused = await orders('correct', id, '--owner', 'shop', '--status', 'held');
  expect(refused.stderr).toMatch(/--status: must be one of pending, paid.*\n.*--reason: is required/);
  expect((await correct('paid')).stdout).toBe(`${id} is now paid, version 3\n`);
  expect((await correct('paid')).stdout).toBe(`${id} was already paid, version 3\n`);
  expect((await correct('paid', '019b0000-dddd-7000-8000-000000000000')).stderr).toContain('shop has no order 019b');
  const changes = await execute(
    `select type, actor, snapshot ->> 'reason' as reason from orders.changes where version = 3`,
  );
  expect(changes).toEqual([{ type: 'order.corrected', actor: 'command', reason: 'no longer held' }]);
  const commented = await orders('comment', id, 'was it held?', '--owner', 'shop');
  expect(await execute('select id, author, text from orders.order_comments')).toEqual([
    { id: commented.stdout.trim(), author: `command:${userInfo().username}`, text: 'was it held?' },
  ]);
  const invalid = await orders('comment', 'x', '', '--owner', 'shop');
  expect(invalid.stderr).toMatch(/ID: must be a UUID\n.*TEXT: must have at least 1 character/);
  const rows = await execute('select status, status_times from orders.orders');
  expect(rows).toEqual([{ status: 'paid', status_times: null }]);
  const actor = `command:${userInfo().username}`;
  const record = { owner: 'shop', actor, action: 'correct_order', subject: id, reason: 'no longer held' };
  expect(JSON.parse((await orders('audit', '--owner', 'shop', '--json')).stdout)).toMatchObject([
    { action: 'comment_order' },
    {},
    record,
  ]);
});
