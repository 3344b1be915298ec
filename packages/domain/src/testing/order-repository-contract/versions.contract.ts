import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { type OrderVersion, parseOrderVersionQuery } from '../../orders/order-version.ts';
import type { Owner } from '../../shared/ids.ts';
import { change } from '../aggregate-writes.ts';
import * as assert from '../assertions.ts';
import { aCustomer, aKey, anItem } from '../builders.ts';
import { anOwner, fails, removeCustomer, storeCustomer, succeeds, type TestRunner } from '../contract-subject.ts';
import {
  type AnyChange,
  type AnyOrder,
  type AnyOrderEvent,
  type AnySubject,
  type OpenAnySubject,
  type OrderFixtures,
  removeOrder,
} from '../order-fixtures.ts';
import { METADATA } from './aggregates.ts';

/** A version of an order of any definition. */
export type AnyVersion = OrderVersion<OrderDefinition>;

/** Version numbers that no order has, whatever type a store uses for them. */
const UNKNOWN_NUMBERS = [
  [0, -0, -1, -6, 7, 99, 1.5, 5.999, 2 ** 31, 2 ** 32 + 1, 2 ** 53, -(2 ** 53), 2 ** 64 + 2 ** 12],
  [Number.MIN_VALUE, Number.MAX_VALUE, Number.NaN, Infinity, -Infinity],
].flat();

/** Returns all versions of an order, newest first. */
export async function allVersions({ orders }: AnySubject, owner: Owner, id: string): Promise<readonly AnyVersion[]> {
  const { data, next } = await succeeds(
    orders.listVersions(owner, id, parseOrderVersionQuery({ limit: 100 })._unsafeUnwrap()),
  );
  assert.equal(next, null);
  return data;
}

export const numbersOf = (versions: readonly AnyVersion[]): number[] => versions.map(({ version }) => version);

/** Returns the version that a write made. */
function versionOf(order: AnyOrder | null, event: AnyOrderEvent | null): AnyVersion {
  assert.ok(event, 'the write recorded no event');
  const { version, type, changed, occurred_at, actor } = event;
  return { version, type, changed, occurred_at, actor, order };
}

/** Places, changes, advances and deletes an order, and returns the versions that it must have, newest first. */
async function storeHistory(
  { anOrder, place, decide, advance, advanceAgain }: OrderFixtures,
  subject: AnySubject,
  owner: Owner,
): Promise<{ id: string; versions: AnyVersion[] }> {
  const customer_id = (await storeCustomer(subject, owner)).id;
  const { id, ...fields } = anOrder({ items: [anItem(), anItem({ sku: 'B' })], note: '“é” 🎁', metadata: METADATA });
  const placed = await place(subject, owner, { ...fields, id, event: { actor: 'api_key:ord_4fT9' } });
  const versions = [versionOf(placed.order, placed.event)];
  const changes: [AnyChange, string | null][] = [
    [{ customer_id, reference: 'PO-1', note: null, metadata: { z: null, '11': 'eleven', b: '4' } }, 'client: a b~'],
    [advance, null],
    [{ metadata: null }, 'x'.repeat(255)],
    [advanceAgain, 'certificate:0123456789abcdef'],
  ];
  for (const [index, [wanted, actor]] of changes.entries()) {
    const decideChange = decide(owner, wanted, `2026-01-02T04:0${index}:00.120Z`);
    const decideBy = (before: AnyOrder) => {
      const { after, event } = decideChange(before);
      return { after, event: event && { ...event, actor } };
    };
    const written = await succeeds(change(subject.orders, owner, id, decideBy));
    versions.push(versionOf(written.aggregate, written.event));
  }
  const last = { occurred_at: '2026-01-03T00:00:00.000Z', actor: 'client:shop' };
  versions.push(versionOf(null, await removeOrder(subject, owner, id, last)));
  return { id, versions: versions.toReversed() };
}

export function versionsContract({ describe, it }: TestRunner, open: OpenAnySubject, fixtures: OrderFixtures): void {
  const { anOrder, storeOrder, update, advance } = fixtures;
  describe('the versions of an order', () => {
    it('have the event and the order of each write, newest first, also after the deletion', async () => {
      const subject = await open();
      const owner = anOwner();
      await storeOrder(subject, owner);
      const { id, versions } = await storeHistory(fixtures, subject, owner);
      assert.deepEqual(numbersOf(versions), [6, 5, 4, 3, 2, 1]);
      assert.deepEqual(await allVersions(subject, owner, id), versions);
      const events = (await subject.events(owner)).filter((event) => event.aggregate_id === id);
      assert.deepEqual(
        events.map(({ version, type, changed, occurred_at, actor }) => [version, type, changed, occurred_at, actor]),
        versions
          .toReversed()
          .map(({ version, type, changed, occurred_at, actor }) => [version, type, changed, occurred_at, actor]),
      );
    });

    it('end with the deletion, which has no order', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await storeHistory(fixtures, subject, owner);
      const deletion = {
        version: 6,
        type: 'order.deleted',
        changed: [],
        occurred_at: '2026-01-03T00:00:00.000Z',
        actor: 'client:shop',
        order: null,
      };
      assert.deepEqual((await allVersions(subject, owner, id))[0], deletion);
      assert.deepEqual(await succeeds(subject.orders.findVersion(owner, id, 6)), deletion);
    });

    it('have the JSON text of the order that each write returned, also after the deletion', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id, versions } = await storeHistory(fixtures, subject, owner);
      const listed = await allVersions(subject, owner, id);
      const text = (all: readonly AnyVersion[]) => JSON.stringify(all.map(({ order }) => order));
      assert.equal(text(listed), text(versions));
      const found: AnyVersion[] = [];
      for (const { version } of versions) found.push(await succeeds(subject.orders.findVersion(owner, id, version)));
      assert.equal(text(found), text(versions));
      const loaded = await storeOrder(subject, owner, anOrder({ metadata: METADATA }));
      const advanced = await update(subject, owner, loaded.id, advance);
      const { order } = await succeeds(subject.orders.findVersion(owner, loaded.id, 2));
      assert.equal(JSON.stringify(order), JSON.stringify(advanced.aggregate));
    });

    it('are found by their numbers', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id, versions } = await storeHistory(fixtures, subject, owner);
      for (const version of versions)
        assert.deepEqual(await succeeds(subject.orders.findVersion(owner, id, version.version)), version);
    });

    it('are not found by other numbers', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await storeHistory(fixtures, subject, owner);
      for (const number of UNKNOWN_NUMBERS) {
        const error = await fails(subject.orders.findVersion(owner, id, number));
        assert.deepEqual(error, { type: 'version_not_found', id }, `version ${number}`);
      }
    });

    it('do not exist for an unknown id', async () => {
      const { orders } = await open();
      const { id } = anOrder();
      for (const at of [undefined, '2026-02-01T00:00:00.000Z']) {
        const query = parseOrderVersionQuery({ at })._unsafeUnwrap();
        assert.deepEqual(await fails(orders.listVersions(anOwner(), id, query)), { type: 'order_not_found', id });
      }
      assert.deepEqual(await fails(orders.findVersion(anOwner(), id, 1)), { type: 'version_not_found', id });
    });

    it('belong to their owner alone, even if another owner has an order with the same id', async () => {
      const subject = await open();
      const { orders } = subject;
      const [owner, otherOwner] = [anOwner(), anOwner()];
      const { id, versions } = await storeHistory(fixtures, subject, owner);
      const query = parseOrderVersionQuery({})._unsafeUnwrap();
      assert.deepEqual(await fails(orders.listVersions(otherOwner, id, query)), { type: 'order_not_found', id });
      assert.deepEqual(await fails(orders.findVersion(otherOwner, id, 1)), { type: 'version_not_found', id });
      const order = await storeOrder(subject, otherOwner, anOrder({ id, note: 'mine' }));
      const [own, ...others] = await allVersions(subject, otherOwner, id);
      assert.deepEqual(own?.order, order);
      assert.deepEqual(others, []);
      assert.deepEqual(await fails(orders.findVersion(otherOwner, id, 2)), { type: 'version_not_found', id });
      assert.deepEqual(await allVersions(subject, owner, id), versions);
    });

    it('are separate from those of a customer with the same id', async () => {
      const subject = await open();
      const { orders } = subject;
      const owner = anOwner();
      const [placing, creating] = [aKey(), aKey()];
      const order = await storeOrder(subject, owner, anOrder(), placing);
      const { id } = order;
      const customer = await storeCustomer(subject, owner, aCustomer({ id }), creating);
      const advanced = await update(subject, owner, id, advance);
      const recorded = await succeeds(subject.customers.findRecorded(owner, creating));
      assert.deepEqual(recorded, { sameCommand: true, id, aggregate: customer });
      await removeCustomer(subject, owner, id);
      const versions = await allVersions(subject, owner, id);
      assert.deepEqual(
        versions.map((version) => version.order),
        [advanced.aggregate, order],
      );
      assert.deepEqual((await succeeds(orders.findRecorded(owner, placing)))?.aggregate, order);
    });

    it('are returned as copies', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await storeOrder(subject, owner, anOrder({ metadata: { colour: 'blue' } }));
      await update(subject, owner, id, { metadata: { size: 'L' } });
      for (let time = 0; time < 3; time += 1) {
        const [listed] = await allVersions(subject, owner, id);
        const found = await succeeds(subject.orders.findVersion(owner, id, 2));
        const query = parseOrderVersionQuery({ at: '9999-01-01T00:00:00Z' })._unsafeUnwrap();
        const { data: atTime } = await succeeds(subject.orders.listVersions(owner, id, query));
        for (const order of [listed?.order, found.order, atTime[0]?.order]) {
          assert.deepEqual(order?.metadata, { colour: 'blue', size: 'L' });
          Object.assign(order.metadata, { colour: 'red' });
        }
      }
    });
  });
}
