import { faulty } from '@orders/domain/testing';
import { openDatabase, postgresStore } from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import { finishErasures } from '../../src/erasures/finish-erasures.ts';
import { BAKERY } from '../definitions/bakery.ts';
import { execute } from '../fixtures/execute.ts';
import { holding, untilFinished } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { bakeryOn, columnsWithMarker, storePerson } from './personal-shop.ts';

const database = testDatabase();
const open = () => untilFinished(openDatabase({ url: database.url, definition: BAKERY, poolMax: 4 }));

const erasedVersions = (owner: string) =>
  execute(
    database.url,
    `select count(*)::int as count from changes where owner_id = '${owner}' and type = 'order.erased'
      group by aggregate_id order by count`,
  );

describe('an erasure', () => {
  it.each(['unavailable', 'done_then_unavailable'] as const)(
    'that ends at any step, as %s, is finished by another server, and erases each order once',
    async (fault) => {
      const [first, second] = [open(), open()];
      const another = bakeryOn(postgresStore(second));
      let steps = 0;
      for (let at = 1; steps >= at - 1; at += 1) {
        const { owner, customerId } = await storePerson(first);
        steps = 0;
        const store = faulty(postgresStore(first), () => ((steps += 1) === at ? fault : null));
        await bakeryOn(store).eraseCustomer(owner, customerId, { idempotencyKey: 'erasure' });
        // As the client, which has no result.
        (await another.eraseCustomer(owner, customerId, { idempotencyKey: 'erasure' }))._unsafeUnwrap();
        await finishErasures(second, another.continueErasure);
        expect((await another.getCustomer(owner, customerId))._unsafeUnwrap()).toMatchObject({
          version: 3,
          erasure: { status: 'done' },
        });
        expect(await columnsWithMarker(database.url, owner)).toEqual([]);
        expect(await erasedVersions(owner)).toEqual([{ count: 1 }, { count: 1 }, { count: 1 }]);
      }
      expect(steps).toBeGreaterThan(10);
    },
    60_000,
  );

  it('is continued by many servers at once, and erases each order once', async () => {
    const [first, second] = [open(), open()];
    const { owner, customerId } = await storePerson(first);
    const store = faulty(postgresStore(first), { 'orders.findAssigned': 'unavailable' });
    (await bakeryOn(store).eraseCustomer(owner, customerId))._unsafeUnwrap();
    const servers = [first, second, first, second].map((opened) =>
      finishErasures(opened, bakeryOn(postgresStore(opened)).continueErasure),
    );
    await Promise.all(servers);
    expect(await columnsWithMarker(database.url, owner)).toEqual([]);
    expect(await erasedVersions(owner)).toEqual([{ count: 1 }, { count: 1 }, { count: 1 }]);
  });

  it('of one owner does not hold up those of others', async () => {
    const opened = open();
    const stores = faulty(postgresStore(opened), { 'orders.findAssigned': 'unavailable' });
    const shops = [await storePerson(opened), await storePerson(opened)];
    for (const { owner, customerId } of shops)
      (await bakeryOn(stores).eraseCustomer(owner, customerId))._unsafeUnwrap();
    const [locked, other] = shops.toSorted((left, right) => (left.owner < right.owner ? -1 : 1));
    if (!locked || !other) throw new Error('there are two shops');
    const passedOver: string[] = [];
    const { continueErasure } = bakeryOn(postgresStore(opened));
    const finish = () =>
      finishErasures(opened, continueErasure, undefined, { onPassedOver: (owner) => passedOver.push(owner) });
    const release = await holding(database.url, `select from orders where owner_id = '${locked.owner}' for update`);
    expect(await finish()).toBe(1);
    expect(passedOver).toEqual([locked.owner]);
    expect(await columnsWithMarker(database.url, other.owner)).toEqual([]);
    await release();
    expect(await finish()).toBe(1);
    expect(await columnsWithMarker(database.url, locked.owner)).toEqual([]);
  });
});
