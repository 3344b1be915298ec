import { randomUUID } from 'node:crypto';
import { systemClock, uuidv7Ids } from '@orders/domain/runtime';
import { createDomain } from '@orders/domain';
import { type OrderTimeline, readTimeline } from '@orders/domain/operators';
import {
  postgresAudit,
  postgresClientCertificates,
  postgresOperators,
  postgresOrderComments,
  postgresOrderRepository,
  postgresStore,
  postgresTimelines,
  purge,
} from '@orders/persistence';
import { ok } from 'neverthrow';
import { describe, expect, it, vi } from 'vitest';
import { newNumbering } from '../../src/events/numbering.ts';
import { endpointId, insertEndpoint } from '../fixtures/delivery-rows.ts';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const database = testDatabase();
const ITEMS = [{ sku: 'a', name: 'A', quantity: 2, unit_price: { amount: 100, currency: 'EUR' } }];

/** Places an order of a new owner, and returns how to change it and read its timeline. */
async function anOrder(options = {}) {
  const owner = randomUUID();
  const domain = createDomain({ ...postgresStore(database.current), clock: systemClock, ids: uuidv7Ids() });
  const { order } = (await domain.placeOrder(owner, { items: ITEMS, note: 'a' }, options))._unsafeUnwrap();
  const change = async (note: string, changing = {}) =>
    (await domain.changeOrder(owner, order.id, { note }, changing))._unsafeUnwrap();
  const read = async (input = {}): Promise<OrderTimeline> =>
    (await readTimeline(postgresTimelines(database.current), owner, order.id, input))._unsafeUnwrap();
  return { owner, domain, order, change, read };
}

/** Returns the versions among entries. */
const versionsIn = ({ data }: OrderTimeline) => data.filter((entry) => entry.kind === 'change');

/** Returns what a later purge purges, with all positions given. */
async function purgeAll(owner: string, history: boolean) {
  await newNumbering(database.current).run(owner);
  const now = Date.now();
  // Also by the clock of the database.
  await execute(
    database.url,
    `update changes set occurred_at = occurred_at - interval '1 day' where owner_id = '${owner}'`,
  );
  const before = new Date(now - 3_600_000).toISOString();
  await purge(database.current)({
    now: new Date(now).toISOString(),
    eventsBefore: before,
    ...(history && { historyBefore: before }),
  });
}

describe('the timeline of an order', () => {
  it('has every version once, over pages, and a summary above the first', async () => {
    const { order, change, read } = await anOrder();
    for (const note of ['b', 'c', 'd']) await change(note);
    const all = await read();
    expect(
      versionsIn(all).map(({ version, changes }) => [version, changes?.find(({ field }) => field === 'note')]),
    ).toEqual([
      [1, { field: 'note', key: null, before: null, after: 'a' }],
      [2, { field: 'note', key: null, before: 'a', after: 'b' }],
      [3, { field: 'note', key: null, before: 'b', after: 'c' }],
      [4, { field: 'note', key: null, before: 'c', after: 'd' }],
    ]);
    expect(all).toMatchObject({ next: null, summary: { version: 4, complete_from: order.created_at } });
    const pages = [await read({ limit: 1 })];
    for (let next = pages[0]?.next; next; next = pages.at(-1)?.next) pages.push(await read({ limit: 1, after: next }));
    expect(pages.flatMap(({ data }) => data)).toEqual(all.data);
    expect(pages.map(({ summary }) => summary)).toEqual([all.summary, null, null, null]);
    expect(await read({ after: { value: '4', id: order.id } })).toEqual({ summary: null, data: [], next: null });
  });

  it('has the names of operators, and of API keys and client certificates of the owner', async () => {
    const [id, at] = [randomUUID(), new Date().toISOString()];
    const link = { id: randomUUID(), tokenHash: randomUUID(), created_at: at, expires_at: at };
    const by = { actor: 'command:ada', reason: null };
    await postgresOperators(database.current).create({ id, name: 'Ada', role: 'support' }, link, by);
    const prefix = `ord_${randomUUID().slice(0, 8)}`;
    const { owner, change, read } = await anOrder({ actor: `api_key:${prefix}` });
    const foreign = `${prefix}_`;
    await execute(
      database.url,
      `insert into api_keys (key_hash, prefix, owner_id, scopes, created_at, name) values
       ('${randomUUID()}', '${prefix}', '${owner}', '[]', now(), 'web shop'), ('${randomUUID()}', '${foreign}', 'another', '[]', now(), 'other')`,
    );
    const certificates = postgresClientCertificates(database.current);
    const certified: string[] = [];
    for (const [identity, of] of [
      [`CN=Müller ${owner}`, owner],
      [`CN=b ${owner}`, 'another'],
    ] as const) {
      const mapping = { identity, owner: of, scopes: [], created_at: at, name: 'till' };
      (await certificates.allow(mapping))._unsafeUnwrap();
      certified.push((await certificates.find([identity]))._unsafeUnwrap()?.actor ?? '');
    }
    const others = [`operator:${id}`, `operator:${'-'.repeat(36)}`, `api_key:${foreign}`, ...certified];
    for (const [index, actor] of others.entries()) await change(`${index}`, { actor });
    const { data, summary } = await read();
    expect(data.map(({ actor_name }) => actor_name)).toEqual(['web shop', 'Ada', null, null, 'till', null]);
    expect(summary?.placed_by).toMatchObject({ actor: `api_key:${prefix}`, actor_name: 'web shop' });
  });

  it('has the reason of an operator beside the version that it made, until an erasure', async () => {
    const { owner, domain, order, change, read } = await anOrder();
    await change('b');
    const by = { owner, actor: 'operator:1', action: 'change_order', subject: order.id };
    const audit = postgresAudit(database.current);
    const record = (reason: string, version?: number) =>
      database.current.transaction(async ({ client }) => {
        await audit.recordWithin(client, { ...by, reason, version });
        return ok(null);
      });
    for (const [reason, version] of [['first', 1], ['no version'], ['third', 3]] as const)
      await record(reason, version);
    await change('c');
    const reasons = async () => versionsIn(await read()).map(({ operator_reason }) => operator_reason);
    expect(await reasons()).toEqual(['first', null, 'third']);
    expect(versionsIn(await read({ limit: 1, after: { value: '2', id: order.id } }))).toMatchObject([
      { operator_reason: 'third' },
    ]);
    (await domain.deleteOrder(owner, order.id))._unsafeUnwrap();
    (await postgresOrderRepository(database.current).eraseDeleted(owner, order.id))._unsafeUnwrap();
    expect(await reasons()).toEqual([null, null, null, null]);
  });

  it('has the deliveries of each event until they are purged, and the faults of the newest', async () => {
    const { owner, order, change, read } = await anOrder();
    await change('b');
    const [accepted, failing] = [endpointId(1), endpointId(2)];
    await insertEndpoint(database.url, owner, accepted);
    const due = '2026-01-02T03:04:05.678Z';
    const deliver = (endpoint: string, version: number, values: string) =>
      execute(
        database.url,
        `insert into webhook_deliveries
         select owner_id, '${endpoint}', version, event_id, type, aggregate, aggregate_id, version, ${values}
         from changes where owner_id = '${owner}' and version = ${version}`,
      );
    await deliver(accepted, 1, `'delivered', 1, false, false, null, null, 1, null, 204, null, 9`);
    await deliver(failing, 2, `'pending', 3, false, false, '${due}', null, 1, null, 503, 'status_not_accepted', 9`);
    const delivery = {
      endpoint_id: accepted,
      endpoint_url: 'https://receiver.example/',
      last_status: 204,
      attempts: 1,
    };
    const failed = {
      endpoint_id: failing,
      endpoint_url: null,
      last_error: 'status_not_accepted',
      next_attempt_at: due,
    };
    const { data, summary } = await read();
    expect(data).toMatchObject([{ deliveries: [delivery] }, { deliveries: [failed] }]);
    expect(summary?.faults).toMatchObject([{ code: 'delivery_retried', version: 2, count: 1, ...failed }]);
    await purgeAll(owner, false);
    const later = await read();
    expect(versionsIn(later).map(({ deliveries, changes }) => [deliveries, changes?.length])).toEqual([
      [null, 2],
      [null, 1],
    ]);
    expect(later.summary).toMatchObject({ version: 2, order: { status: order.status } });
  });

  it('has the comments of operators among the versions, each once over pages of any size', async () => {
    const { owner, order, change, read } = await anOrder();
    const comment = async (text: string) => {
      const written = { order_id: order.id, text };
      await postgresOrderComments(database.current).add(owner, written, { actor: 'command:ada', reason: null });
    };
    for (const text of ['a', 'b', 'c']) await comment(text);
    // A version is before a comment of the same millisecond.
    const commented = Date.now();
    await vi.waitUntil(() => Date.now() > commented, { interval: 1 });
    await change('b');
    await comment('d');
    const all = await read();
    const shown = all.data.map((entry) => (entry.kind === 'change' ? entry.version : entry.text));
    expect(shown).toEqual([1, 'a', 'b', 'c', 2, 'd']);
    expect(all.data[1]).toMatchObject({ kind: 'comment', actor: 'command:ada', actor_name: null });
    for (const limit of [1, 2, 3, 5]) {
      const pages = [await read({ limit })];
      for (let next = pages[0]?.next; next; next = pages.at(-1)?.next) pages.push(await read({ limit, after: next }));
      expect(pages.flatMap(({ data }) => data)).toEqual(all.data);
    }
    for (const value of ['x', '-1', '1 x', '4294967296'])
      expect(
        (
          await readTimeline(postgresTimelines(database.current), owner, order.id, { after: { value, id: order.id } })
        )._unsafeUnwrapErr(),
      ).toMatchObject({ errors: [{ field: 'after' }] });
  });

  it('says from when it is complete after a purge of the history', async () => {
    const { owner, change, read } = await anOrder();
    for (const note of ['b', 'c']) await change(note);
    await purgeAll(owner, true);
    expect(await read()).toMatchObject({ data: [{ version: 3, changes: null }], summary: { complete_from: null } });
    await change('d');
    const { data, summary } = await read();
    expect(data).toMatchObject([
      { version: 3, changes: null },
      { version: 4, changes: [{ before: 'c', after: 'd' }] },
    ]);
    expect(summary).toMatchObject({ placed_by: null, complete_from: data[1]?.at });
  });

  it('outlives the order, at first with what it was', async () => {
    const { owner, domain, order, read } = await anOrder();
    (await domain.deleteOrder(owner, order.id))._unsafeUnwrap();
    const { data, summary } = await read();
    expect(data).toMatchObject([{ version: 1 }, { version: 2, type: 'order.deleted', changes: [] }]);
    expect(summary).toMatchObject({ deleted_at: data[1]?.at, order: { status: 'pending', total: { amount: 200 } } });
    await execute(database.url, `update changes set snapshot = null, items = null where owner_id = '${owner}'`);
    const erased = await read();
    expect(versionsIn(erased).map(({ changes }) => changes)).toEqual([null, []]);
    expect(erased.summary).toMatchObject({ deleted_at: data[1]?.at, order: null });
  });

  it('is found for its owner alone', async () => {
    const { order } = await anOrder();
    const { owner } = await anOrder();
    const timelines = postgresTimelines(database.current);
    for (const id of [order.id, randomUUID()])
      expect((await readTimeline(timelines, owner, id, {}))._unsafeUnwrapErr()).toEqual({
        type: 'order_not_found',
        id,
      });
  });
});
