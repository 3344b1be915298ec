import { handled } from '@orders/persistence';
import { ok, err } from 'neverthrow';
import { beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '../fixtures/test-database.ts';
import { aHost, insertPickUp, ITEM } from './a-host.ts';
import { createPickUps } from './host-tables.ts';

const tested = testDatabase();
const { open, connect, references, shelves } = aHost(tested);

beforeAll(() => createPickUps(tested.url));

describe('a transaction whose statements are started together', () => {
  it('keeps a row of the host apart from a rejected write', async () => {
    const result = await open({ poolMax: 1 }).transaction(async ({ domain, client }) => {
      const place = (reference: string) => handled(domain.placeOrder('rows', { items: [ITEM], reference }));
      const [first, , rejected] = await Promise.all([
        place('R-1'),
        client.query(insertPickUp('row-1')),
        place('R-1'),
        client.query(insertPickUp('row-2')),
        place('R-1'),
        client.query(insertPickUp('row-3')),
      ]);
      return ok([first.isOk(), rejected.isOk()]);
    });
    expect(result).toEqual(ok([true, false]));
    expect(await shelves('row-')).toEqual(['row-1', 'row-2', 'row-3']);
    expect(await references('rows')).toEqual(['R-1']);
  });

  it('keeps reads apart from a rejected write', async () => {
    const result = await open({ poolMax: 1 }).transaction(async ({ domain }) => {
      const { order } = (await domain.placeOrder('reads', { items: [ITEM], reference: 'R-1' }))._unsafeUnwrap();
      const write = { isSettled: false };
      const place = handled(domain.placeOrder('reads', { items: [ITEM], reference: 'R-1' })).orTee(
        () => (write.isSettled = true),
      );
      // One read after the other, so that some arrive between the statements of the write.
      const reads = [true];
      while (!write.isSettled && reads.at(-1) === true) reads.push((await domain.getOrder('reads', order.id)).isOk());
      expect(await place).toEqual(err({ type: 'reference_taken', order_id: order.id }));
      return ok(reads.every(Boolean));
    });
    expect(result).toEqual(ok(true));
  });

  it('keeps a write apart from a rejected one with a key', async () => {
    const result = await open({ poolMax: 1 }).transaction(async ({ domain }) => {
      const place = (reference: string, idempotencyKey: string) =>
        handled(domain.placeOrder('keys', { items: [ITEM], reference }, { idempotencyKey }));
      const placed = await Promise.all([place('R-1', 'a'), place('R-1', 'b'), place('R-2', 'c'), place('R-2', 'd')]);
      return ok(placed.map((one) => one.isOk()));
    });
    expect(result).toEqual(ok([true, false, true, false]));
    expect(await references('keys')).toEqual(['R-2', 'R-1']);
  });

  it('commits all of them, although they were not awaited', async () => {
    const result = await open({ poolMax: 1 }).transaction(({ domain, client }) => {
      const place = (reference: string) => void handled(domain.placeOrder('hurried', { items: [ITEM], reference }));
      place('R-1');
      void client.query(insertPickUp('hurried-1'));
      place('R-1');
      place('R-2');
      void client.query(insertPickUp('hurried-2'));
      return Promise.resolve(ok('done'));
    });
    expect(result).toEqual(ok('done'));
    expect(await shelves('hurried-')).toEqual(['hurried-1', 'hurried-2']);
    expect(await references('hurried')).toEqual(['R-2', 'R-1']);
  });

  it('keeps them apart although it was joined twice', async () => {
    const client = await connect();
    await client.query('begin');
    const join = async () => (await tested.current.joinTransaction(client)).domain;
    const [first, second] = [await join(), await join()];
    await first.placeOrder('twice', { items: [ITEM], reference: 'R-1' });
    const [kept, rejected] = await Promise.all([
      first.placeOrder('twice', { items: [ITEM], reference: 'R-2' }),
      second.placeOrder('twice', { items: [ITEM], reference: 'R-1' }),
    ]);
    expect([kept.isOk(), rejected.isOk()]).toEqual([true, false]);
    await client.query('commit');
    expect(await references('twice')).toEqual(['R-2', 'R-1']);
  });
});
