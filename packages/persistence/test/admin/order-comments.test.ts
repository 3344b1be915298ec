import { randomUUID } from 'node:crypto';
import { COMMENTS_MAX, createDomain, type CustomerDataLine, type Position } from '@orders/domain';
import { systemClock, uuidv7Ids } from '@orders/domain/runtime';
import { postgresAudit, postgresOrderComments, postgresStore, purge } from '@orders/persistence';
import { expect, it } from 'vitest';
import { newNumbering } from '../../src/events/numbering.ts';
import { execute } from '../fixtures/execute.ts';
import { holding, untilWaiting } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const database = testDatabase();
const ITEMS = [{ sku: 'a', name: 'A', quantity: 2, unit_price: { amount: 100, currency: 'EUR' } }];
const EMAIL = 'ada@example.com';
const BY = { actor: 'operator:1', reason: 'a ticket' };

/** Places an order of a new owner with a customer, and returns how to comment it. */
async function anOrder() {
  const owner = randomUUID();
  const domain = createDomain({ ...postgresStore(database.current), clock: systemClock, ids: uuidv7Ids() });
  const { customer } = (await domain.createCustomer(owner, { email: EMAIL }))._unsafeUnwrap();
  const { order } = (await domain.placeOrder(owner, { items: ITEMS, customer_id: customer.id }))._unsafeUnwrap();
  const comments = postgresOrderComments(database.current);
  const add = (text: string, key?: string, order_id = order.id) => comments.add(owner, { order_id, text, key }, BY);
  const list = async (after: string | null = null, limit = 100) =>
    (await comments.list(owner, order.id, { after, limit }))._unsafeUnwrap();
  return { owner, domain, customer, order, add, list };
}

it('a comment is written with its record, once for a key, and makes no version', async () => {
  const { owner, domain, order, add, list } = await anOrder();
  const { comment } = (await add('late', 'key'))._unsafeUnwrap();
  expect(comment).toMatchObject({ author: BY.actor, text: 'late' });
  expect((await add('late', 'key'))._unsafeUnwrap()).toEqual({ comment, replayed: true });
  expect((await add('later', 'key'))._unsafeUnwrapErr()).toEqual({ type: 'idempotency_key_reused' });
  const missing = randomUUID();
  expect((await add('late', 'key', missing))._unsafeUnwrapErr()).toEqual({ type: 'order_not_found', id: missing });
  const others = [(await add('b'))._unsafeUnwrap().comment, (await add('c'))._unsafeUnwrap().comment];
  expect(await list()).toEqual([comment, ...others]);
  expect(await list(comment.id, 1)).toEqual(others.slice(0, 1));
  expect((await domain.getOrder(owner, order.id))._unsafeUnwrap()).toEqual(order);
  const log = postgresAudit(database.current);
  const { records: audit } = (await log.list({ owner, before: null, limit: 10 }))._unsafeUnwrap();
  expect(audit).toHaveLength(3);
  expect(audit[0]).toMatchObject({ ...BY, action: 'comment_order', subject: order.id });
});

it('an order has a limited number of comments, also at the same time', async () => {
  const { owner, order, add, list } = await anOrder();
  await execute(
    database.url,
    `insert into order_comments select '${owner}', '${order.id}', gen_random_uuid(), now(), 'operator:1', 'x'
      from generate_series(1, ${COMMENTS_MAX - 1})`,
  );
  const release = await holding(database.url, `select from orders where id = '${order.id}' for no key update`);
  const adding = Promise.all(['a', 'b'].map((text) => add(text)));
  await untilWaiting(database.url, 2);
  await release();
  const refused = (await adding).flatMap((result) => (result.isErr() ? [result.error] : []));
  expect(refused).toEqual([{ type: 'too_many_comments' }]);
  expect(await list(null, 2000)).toHaveLength(COMMENTS_MAX);
});

it('comments are part of the data of a person, and an erasure empties them, also later ones when it is repeated', async () => {
  const { owner, domain, customer, order, add, list } = await anOrder();
  const texts = Array.from({ length: 60 }, (_, at) => `comment ${at}`);
  for (const text of texts) (await add(text, text))._unsafeUnwrap();
  const pagesOf = async (read: (after?: Position<string>) => ReturnType<typeof domain.readCustomerData>) => {
    const lines: CustomerDataLine[] = [];
    for (let page = (await read())._unsafeUnwrap(); ; page = (await read(page.next))._unsafeUnwrap()) {
      lines.push(...page.data);
      if (page.next === null) return lines;
    }
  };
  const ofCustomer = await pagesOf((after) => domain.readCustomerData(owner, customer.id, { limit: 1, after }));
  const kinds = ['customer', 'order', 'order_version', ...texts.map(() => 'order_comment')];
  expect(ofCustomer.map(({ kind }) => kind)).toEqual(kinds);
  const written = ofCustomer.flatMap((line) => (line.kind === 'order_comment' ? [line.text] : []));
  expect(written).toEqual(texts);
  expect(await pagesOf((after) => domain.readPersonData(owner, { email: EMAIL, limit: 1, after }))).toEqual(ofCustomer);
  (await domain.eraseCustomer(owner, customer.id))._unsafeUnwrap();
  const left = async () => (await list()).flatMap(({ text }) => text ?? []);
  expect(await left()).toEqual([]);
  const [first] = await list();
  expect((await add('comment 0', 'comment 0'))._unsafeUnwrap()).toEqual({ comment: first, replayed: true });
  const again = { order_id: order.id, text: 'again' };
  const by = { ...BY, reason: null };
  (await postgresOrderComments(database.current).add(owner, again, by))._unsafeUnwrap();
  expect((await domain.getOrder(owner, order.id))._unsafeUnwrap().version).toBe(2);
  (await domain.eraseCustomer(owner, customer.id))._unsafeUnwrap();
  expect(await left()).toEqual([]);
});

it('comments leave with the snapshots of a deleted order', async () => {
  const { owner, domain, order, add, list } = await anOrder();
  (await add('kept as long as the order is known'))._unsafeUnwrap();
  (await domain.deleteOrder(owner, order.id))._unsafeUnwrap();
  const run = async () => {
    const now = new Date();
    const eventsBefore = new Date(now.getTime() - 2 * 3_600_000).toISOString();
    await purge(database.current)({ now: now.toISOString(), eventsBefore, historyBefore: eventsBefore });
  };
  await run();
  expect(await list()).toHaveLength(1);
  await newNumbering(database.current).run(owner);
  await execute(
    database.url,
    `update changes set occurred_at = occurred_at - interval '1 day' where owner_id = '${owner}'`,
  );
  await run();
  expect(await list()).toEqual([]);
});
