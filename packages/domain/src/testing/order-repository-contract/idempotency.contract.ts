import * as assert from '../assertions.ts';
import { err } from 'neverthrow';
import { aKey } from '../builders.ts';
import { anOwner, fails, succeeds, type TestRunner } from '../contract-subject.ts';
import { type AnyOrder, decideDeletion, type OpenAnySubject, type OrderFixtures } from '../order-fixtures.ts';

export function idempotencyContract(
  { describe, it }: TestRunner,
  open: OpenAnySubject,
  { anOrder, anEventOf, storeOrder, decide, advance }: OrderFixtures,
): void {
  describe('an order write with an idempotency key', () => {
    const reused = { type: 'idempotency_key_reused' };

    it('creates one order for any number of retries, and returns the first result', async () => {
      const subject = await open();
      const owner = anOwner();
      const idempotency = aKey();
      const metadata = Object.fromEntries([
        ['z', '1'],
        ['10', '2'],
        ['__proto__', '3'],
      ]);
      const order = anOrder({ metadata, note: '“é” 🎁' });
      await storeOrder(subject, owner, order, idempotency);
      await succeeds(subject.orders.update(owner, order.id, decide(owner, advance)));
      const retry = anOrder();
      const again = await succeeds(
        subject.orders.insert(owner, { order: retry, event: anEventOf(owner, retry) }, idempotency),
      );
      assert.deepEqual(again, { order, event: null, replayed: true });
      assert.equal(JSON.stringify(again.order), JSON.stringify(order));
      assert.equal((await subject.events(owner)).length, 2);
    });

    it('creates one order for concurrent retries', async () => {
      const subject = await open();
      const owner = anOwner();
      const idempotency = aKey();
      const results = await Promise.all(
        Array.from({ length: 20 }, () => {
          const order = anOrder();
          return succeeds(subject.orders.insert(owner, { order, event: anEventOf(owner, order) }, idempotency));
        }),
      );
      assert.equal(results.filter(({ replayed }) => !replayed).length, 1);
      assert.equal(new Set(results.map(({ order }) => order.id)).size, 1);
      assert.equal((await subject.events(owner)).length, 1);
    });

    it('accepts one of several different orders that are placed concurrently with one key', async () => {
      const subject = await open();
      const owner = anOwner();
      const idempotency = aKey();
      const results = await Promise.all(
        Array.from({ length: 10 }, (_, index) => {
          const order = anOrder();
          const own = { ...idempotency, fingerprint: `command ${index}` };
          return subject.orders.insert(owner, { order, event: anEventOf(owner, order) }, own);
        }),
      );
      assert.equal(results.filter((result) => result.isOk()).length, 1);
      for (const result of results) if (result.isErr()) assert.deepEqual(result.error, reused);
      assert.equal((await subject.events(owner)).length, 1);
    });

    it('applies a change once for concurrent retries, even if it would be valid again', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await storeOrder(subject, owner);
      const idempotency = aKey();
      let count = 0;
      const append = (order: AnyOrder) => decide<never>(owner, { note: `${order.note ?? ''}${(count += 1)};` })(order);
      const results = await Promise.all(
        Array.from({ length: 20 }, () => succeeds(subject.orders.update(owner, id, append, idempotency))),
      );
      assert.equal(results.filter(({ replayed }) => !replayed).length, 1);
      assert.equal(new Set(results.map(({ order }) => JSON.stringify(order))).size, 1);
      assert.equal((await succeeds(subject.orders.find(owner, id))).version, 2);
      assert.equal((await subject.events(owner)).length, 2);
    });

    it('rejects the key of another command and changes nothing, even concurrently', async () => {
      const subject = await open();
      const owner = anOwner();
      const first = await storeOrder(subject, owner);
      const second = await storeOrder(subject, owner);
      const idempotency = aKey();
      const results = await Promise.all(
        [first, second].map(({ id }) =>
          subject.orders.update(owner, id, decide(owner, advance), { ...idempotency, fingerprint: id }),
        ),
      );
      assert.equal(results.filter((result) => result.isOk()).length, 1);
      for (const result of results) if (result.isErr()) assert.deepEqual(result.error, reused);
      const advanced = await Promise.all([first, second].map(({ id }) => succeeds(subject.orders.find(owner, id))));
      assert.deepEqual(advanced.map(({ version }) => `v${version}`).toSorted(), ['v1', 'v2']);
      assert.equal((await subject.events(owner)).length, 3);
    });

    it('replays a change without effect', async () => {
      const subject = await open();
      const owner = anOwner();
      const order = await storeOrder(subject, owner);
      const idempotency = aKey();
      const nothing = () => subject.orders.update(owner, order.id, decide(owner, {}), idempotency);
      assert.equal((await succeeds(nothing())).replayed, false);
      await succeeds(subject.orders.update(owner, order.id, decide(owner, advance)));
      assert.deepEqual(await succeeds(nothing()), { order, event: null, replayed: true });
    });

    it('replays a deletion, and a change of an order deleted since', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await storeOrder(subject, owner);
      const [change, deletion] = [aKey(), aKey()];
      const move = () => subject.orders.update(owner, id, decide(owner, advance), change);
      const remove = () => subject.orders.delete(owner, id, decideDeletion(owner), deletion);
      const advanced = await succeeds(move());
      assert.equal((await succeeds(remove())).replayed, false);
      assert.deepEqual(await succeeds(remove()), { event: null, replayed: true });
      assert.deepEqual(await succeeds(move()), { order: advanced.order, event: null, replayed: true });
      assert.equal((await subject.events(owner)).length, 3);
    });

    it('looks up the key before the order, the change and the other constraints', async () => {
      const subject = await open();
      const owner = anOwner();
      const order = await storeOrder(subject, owner, anOrder({ reference: 'PO-1' }));
      const idempotency = aKey();
      await succeeds(subject.orders.update(owner, order.id, decide(owner, advance), idempotency));
      const other = { ...idempotency, fingerprint: 'another' };
      const { id } = anOrder();
      assert.deepEqual(await fails(subject.orders.update(owner, id, decide(owner, {}), other)), reused);
      const taken = anOrder({ reference: 'PO-1' });
      const placing = subject.orders.insert(owner, { order: taken, event: anEventOf(owner, taken) }, other);
      assert.deepEqual(await fails(placing), reused);
    });

    it('leaves the key unused when it fails', async () => {
      const subject = await open();
      const owner = anOwner();
      await storeOrder(subject, owner, anOrder({ reference: 'PO-1' }));
      const idempotency = aKey();
      const refused = anOrder({ reference: 'PO-1' });
      await fails(subject.orders.insert(owner, { order: refused, event: anEventOf(owner, refused) }, idempotency));
      const corrected = anOrder({ reference: 'PO-2' });
      const stored = await storeOrder(subject, owner, corrected, { ...idempotency, fingerprint: 'corrected' });
      assert.deepEqual(stored, corrected);
    });

    it('leaves the key unused when its change or deletion fails', async () => {
      const subject = await open();
      const owner = anOwner();
      const order = await storeOrder(subject, owner);
      const idempotency = aKey();
      const no = () => err({ type: 'no' });
      await fails(subject.orders.update(owner, order.id, no, idempotency));
      await fails(subject.orders.delete(owner, order.id, no, { ...idempotency, fingerprint: 'a deletion' }));
      await fails(subject.orders.update(owner, anOrder().id, no, { ...idempotency, fingerprint: 'of none' }));
      const advancing = { ...idempotency, fingerprint: 'another' };
      const advanced = await succeeds(subject.orders.update(owner, order.id, decide(owner, advance), advancing));
      assert.deepEqual([advanced.replayed, advanced.order.version], [false, 2]);
    });

    it('lets one of many concurrent writes use an expired key', async () => {
      const subject = await open();
      const owner = anOwner();
      const idempotency = aKey();
      await storeOrder(subject, owner, anOrder(), idempotency);
      const later = { ...idempotency, now: idempotency.expires_at, expires_at: '2026-02-01T00:00:00.000Z' };
      const results = await Promise.all(
        Array.from({ length: 20 }, () => {
          const order = anOrder();
          return succeeds(subject.orders.insert(owner, { order, event: anEventOf(owner, order) }, later));
        }),
      );
      assert.equal(results.filter(({ replayed }) => !replayed).length, 1);
      assert.equal(new Set(results.map(({ order }) => order.id)).size, 1);
    });

    it('can use a key again after it expires', async () => {
      const subject = await open();
      const owner = anOwner();
      const idempotency = aKey();
      const later = {
        ...idempotency,
        fingerprint: 'another',
        now: idempotency.expires_at,
        expires_at: '2026-02-01T00:00:00.000Z',
      };
      await storeOrder(subject, owner, anOrder(), idempotency);
      const second = await storeOrder(subject, owner, anOrder(), later);
      const third = { ...later, now: later.expires_at, expires_at: '2026-03-01T00:00:00.000Z', fingerprint: 'third' };
      const advanced = await succeeds(subject.orders.update(owner, second.id, decide(owner, advance), third));
      assert.deepEqual([advanced.replayed, advanced.order.version], [false, 2]);
      const fourth = { ...third, now: third.expires_at, expires_at: '2026-04-01T00:00:00.000Z', fingerprint: 'fourth' };
      const removed = await succeeds(subject.orders.delete(owner, second.id, decideDeletion(owner), fourth));
      assert.equal(removed.replayed, false);
    });
  });
}
