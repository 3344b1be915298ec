import { faulty } from '@orders/domain/testing';
import { finishErasures, openDatabase, postgresStore } from '@orders/persistence';
import { ResultAsync } from 'neverthrow';
import { describe, expect, it, vi } from 'vitest';
import { BAKERY } from '../definitions/bakery.ts';
import { execute } from '../fixtures/execute.ts';
import { holding, untilFinished } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { bakeryOn, columnsWithMarker, storePerson } from './personal-shop.ts';
import { untilErased } from './until-erased.ts';

const database = testDatabase();
const open = () => untilFinished(openDatabase({ url: database.url, definition: BAKERY, poolMax: 4 }));

const erasedVersions = (owner: string) =>
  execute(
    database.url,
    `select count(*)::int as count from changes where owner_id = '${owner}' and type = 'order.erased'
      group by aggregate_id order by count`,
  );

describe('an erasure', () => {
  it.each([
    ['unavailable', 'its id'],
    ['done_then_unavailable', 'its id'],
    ['done_then_unavailable', 'email'],
  ] as const)(
    'that ends at any step, as %s, is finished by another server, and erases each order once, by %s',
    async (fault, by) => {
      const [first, second] = [open(), open()];
      const another = bakeryOn(postgresStore(second));
      let steps = 0;
      for (let at = 1; steps >= at - 1; at += 1) {
        const { owner, customerId, email } = await storePerson(first);
        const erase = (domain: typeof another): ResultAsync<object, unknown> =>
          by === 'email'
            ? domain.erasePerson(owner, { email }, { idempotencyKey: 'erasure' })
            : domain.eraseCustomer(owner, customerId, { idempotencyKey: 'erasure' });
        steps = 0;
        const store = faulty(postgresStore(first), () => ((steps += 1) === at ? fault : null));
        await erase(bakeryOn(store));
        // As the client, which has no result.
        (await erase(another))._unsafeUnwrap();
        await untilErased(database.url, second, another);
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
    const store = faulty(postgresStore(first), { 'orders.findOrdersOf': 'unavailable' });
    (await bakeryOn(store).eraseCustomer(owner, customerId))._unsafeUnwrap();
    const servers = [first, second, first, second].map((opened) =>
      untilErased(database.url, opened, bakeryOn(postgresStore(opened))),
    );
    await Promise.all(servers);
    expect(await columnsWithMarker(database.url, owner)).toEqual([]);
    expect(await erasedVersions(owner)).toEqual([{ count: 1 }, { count: 1 }, { count: 1 }]);
  });

  it('of a person with a locked order holds up no other one, and is finished later', async () => {
    const opened = open();
    const stores = faulty(postgresStore(opened), { 'orders.findOrdersOf': 'unavailable' });
    const shops = [await storePerson(opened), await storePerson(opened)];
    for (const { owner, customerId } of shops)
      (await bakeryOn(stores).eraseCustomer(owner, customerId))._unsafeUnwrap();
    const [locked, other] = shops.toSorted((left, right) => (left.owner < right.owner ? -1 : 1));
    if (!locked || !other) throw new Error('there are two shops');
    const passedOver = new Set<string>();
    const onPassedOver = (owner: string) => passedOver.add(owner);
    const domain = bakeryOn(postgresStore(opened));
    const another = (await domain.createCustomer(locked.owner, { email: 'grace@example.com' }))._unsafeUnwrap();
    (await bakeryOn(stores).eraseCustomer(locked.owner, another.customer.id))._unsafeUnwrap();
    const release = await holding(database.url, `select from orders where owner_id = '${locked.owner}' for update`);
    const stop = new AbortController();
    const finished = finishErasures(opened, domain.continueErasures, {
      onPassedOver,
      concurrency: 1,
      signal: stop.signal,
    });
    const pending = `select id from customers where erasure = 'pending'`;
    await vi.waitFor(async () => {
      expect(await execute(database.url, pending)).toEqual([{ id: locked.customerId }]);
      expect([...passedOver]).toEqual([locked.owner]);
    });
    stop.abort();
    await finished;
    expect(await columnsWithMarker(database.url, other.owner)).toEqual([]);
    await release();
    await untilErased(database.url, opened, domain);
    expect(await columnsWithMarker(database.url, locked.owner)).toEqual([]);
  });

  it('waits for no other owner, however much that has to erase, and later ones join the next walk', async () => {
    const opened = open();
    const stores = faulty(postgresStore(opened), { 'orders.findOrdersOf': 'unavailable' });
    const [large, small] = [await storePerson(opened), await storePerson(opened)];
    const erase = async (owner: string, id: string) =>
      (await bakeryOn(stores).eraseCustomer(owner, id))._unsafeUnwrap();
    const eraseAnother = async (owner: string, email: string) => {
      const { customer } = (await bakeryOn(stores).createCustomer(owner, { email }))._unsafeUnwrap();
      await erase(owner, customer.id);
    };
    await execute(
      database.url,
      `insert into changes select '${large.owner}', 'order', gen_random_uuid(), 1, gen_random_uuid(), 'order.placed', '[]',
        now(), null, '{}', 1, null, null, null from generate_series(1, 4000)`,
    );
    await erase(large.owner, large.customerId);
    for (let count = 0; count < 30; count += 1) await eraseAnother(large.owner, `${count}@example.com`);
    await erase(small.owner, small.customerId);

    const batches: string[] = [];
    const { continueErasures } = bakeryOn(postgresStore(opened));
    const isFifth = () => batches.filter((each) => each === large.owner).length === 5;
    const counted: typeof continueErasures = (owner, walk) => {
      batches.push(owner);
      const late = isFifth() ? eraseAnother(large.owner, 'late@example.com') : Promise.resolve();
      return ResultAsync.fromSafePromise(late).andThen(() => continueErasures(owner, walk));
    };
    const onlySmall = { concurrency: 1, onFinished: (owner: string) => batches.push(`${owner} is done`) };
    await untilErased(database.url, opened, { continueErasures: counted }, onlySmall);
    const before = batches.slice(0, batches.indexOf(`${small.owner} is done`));
    expect(before.filter((each) => each === large.owner).length).toBeLessThan(5);
    // Two walks of 21 batches: one for 31 persons, and one for the last.
    expect(batches.filter((each) => each === large.owner).length).toBeLessThanOrEqual(44);
    for (const { owner } of [large, small]) expect(await columnsWithMarker(database.url, owner)).toEqual([]);
  }, 60_000);
});
