import * as assert from '../assertions.ts';
import { aCustomer, aKey, anItem } from '../builders.ts';
import { fails, succeeds, type TestRunner } from '../contract-subject.ts';
import type { AnyChange, AnyOrder, AnyOrderEvent, AnyVersion, OrderFixtures } from '../order-fixtures.ts';
import type { StoreBench } from '../store-bench.ts';
import { METADATA } from './aggregates.ts';

/** Version numbers that no order has, whatever type a store uses for them. */
const UNKNOWN_NUMBERS = [
  [0, -0, -1, -6, 7, 99, 1.5, 5.999, 2 ** 31, 2 ** 32 + 1, 2 ** 53, -(2 ** 53), 2 ** 64 + 2 ** 12],
  [Number.MIN_VALUE, Number.MAX_VALUE, Number.NaN, Infinity, -Infinity],
].flat();

export const numbersOf = (versions: readonly AnyVersion[]): number[] => versions.map(({ version }) => version);

/** Returns the version that a write made. */
function versionOf(order: AnyOrder | null, event: AnyOrderEvent | null): AnyVersion {
  assert.ok(event, 'the write recorded no event');
  const { version, type, changed, occurred_at, actor } = event;
  return { version, type, changed, occurred_at, actor, reason: null, order };
}

/** Places, changes, advances and deletes an order, and returns the versions that it must have, newest first. */
async function storeHistory(bench: StoreBench): Promise<{ id: string; versions: AnyVersion[] }> {
  const { anOrder, advance, advanceAgain } = bench.fixtures;
  const customer_id = (await bench.storeCustomer()).id;
  const { id, ...fields } = anOrder({ items: [anItem(), anItem({ sku: 'B' })], note: '“é” 🎁', metadata: METADATA });
  const placed = await bench.place({ ...fields, id, event: { actor: 'api_key:ord_4fT9' } });
  const versions = [versionOf(placed.order, placed.event)];
  const changes: [AnyChange, string | null][] = [
    [{ customer_id, reference: 'PO-1', note: null, metadata: { z: null, '11': 'eleven', b: '4' } }, 'client: a b~'],
    [advance, null],
    [{ metadata: null }, 'x'.repeat(255)],
    [advanceAgain, 'certificate:0123456789abcdef'],
  ];
  for (const [index, [wanted, actor]] of changes.entries()) {
    const decideChange = bench.decide(wanted, `2026-01-02T04:0${index}:00.120Z`);
    const decideBy = (before: AnyOrder) => {
      const { after, event } = decideChange(before);
      return { after, event: event && { ...event, actor } };
    };
    const written = await succeeds(bench.tryChange(id, decideBy));
    versions.push(versionOf(written.aggregate, written.event));
  }
  const last = { occurred_at: '2026-01-03T00:00:00.000Z', actor: 'client:shop' };
  versions.push(versionOf(null, await bench.removeOrder(id, last)));
  return { id, versions: versions.toReversed() };
}

export function versionsContract(
  { describe, it }: TestRunner,
  open: () => Promise<StoreBench>,
  { anOrder, advance }: OrderFixtures,
): void {
  describe('the versions of an order', () => {
    it('have the event and the order of each write, newest first, also after the deletion', async () => {
      const bench = await open();
      await bench.storeOrder();
      const { id, versions } = await storeHistory(bench);
      assert.deepEqual(numbersOf(versions), [6, 5, 4, 3, 2, 1]);
      assert.deepEqual(await bench.allVersions(id), versions);
      const events = (await bench.events()).filter((event) => event.aggregate_id === id);
      assert.deepEqual(
        events.map(({ version, type, changed, occurred_at, actor }) => [version, type, changed, occurred_at, actor]),
        versions
          .toReversed()
          .map(({ version, type, changed, occurred_at, actor }) => [version, type, changed, occurred_at, actor]),
      );
    });

    it('end with the deletion, which has no order', async () => {
      const bench = await open();
      const { id } = await storeHistory(bench);
      const deletion = {
        version: 6,
        type: 'order.deleted',
        changed: [],
        occurred_at: '2026-01-03T00:00:00.000Z',
        actor: 'client:shop',
        reason: null,
        order: null,
      };
      assert.deepEqual((await bench.allVersions(id))[0], deletion);
      assert.deepEqual(await bench.version(id, 6), deletion);
    });

    it('have the JSON text of the order that each write returned, also after the deletion', async () => {
      const bench = await open();
      const { id, versions } = await storeHistory(bench);
      const listed = await bench.allVersions(id);
      const text = (all: readonly AnyVersion[]) => JSON.stringify(all.map(({ order }) => order));
      assert.equal(text(listed), text(versions));
      const found: AnyVersion[] = [];
      for (const { version } of versions) found.push(await bench.version(id, version));
      assert.equal(text(found), text(versions));
      const loaded = await bench.storeOrder(anOrder({ metadata: METADATA }));
      const advanced = await bench.update(loaded.id, advance);
      const { order } = await bench.version(loaded.id, 2);
      assert.equal(JSON.stringify(order), JSON.stringify(advanced.aggregate));
    });

    it('are found by their numbers', async () => {
      const bench = await open();
      const { id, versions } = await storeHistory(bench);
      for (const version of versions) assert.deepEqual(await bench.version(id, version.version), version);
    });

    it('are not found by other numbers', async () => {
      const bench = await open();
      const { id } = await storeHistory(bench);
      for (const number of UNKNOWN_NUMBERS) {
        const error = await fails(bench.tryVersion(id, number));
        assert.deepEqual(error, { type: 'version_not_found', id }, `version ${number}`);
      }
    });

    it('do not exist for an unknown id', async () => {
      const bench = await open();
      const { id } = anOrder();
      for (const at of [undefined, '2026-02-01T00:00:00.000Z'])
        assert.deepEqual(await fails(bench.tryVersions(id, { at })), { type: 'order_not_found', id });
      assert.deepEqual(await fails(bench.tryVersion(id, 1)), { type: 'version_not_found', id });
    });

    it('belong to their owner alone, even if another owner has an order with the same id', async () => {
      const bench = await open();
      const other = bench.ofAnother();
      const { id, versions } = await storeHistory(bench);
      assert.deepEqual(await fails(other.tryVersions(id)), { type: 'order_not_found', id });
      assert.deepEqual(await fails(other.tryVersion(id, 1)), { type: 'version_not_found', id });
      const order = await other.storeOrder(anOrder({ id, note: 'mine' }));
      const [own, ...others] = await other.allVersions(id);
      assert.deepEqual(own?.order, order);
      assert.deepEqual(others, []);
      assert.deepEqual(await fails(other.tryVersion(id, 2)), { type: 'version_not_found', id });
      assert.deepEqual(await bench.allVersions(id), versions);
    });

    it('start with that of an imported order, at the time of the import', async () => {
      const bench = await open();
      const { order, event } = await bench.place({
        version: 7,
        at: '2020-01-01T00:00:00.000Z',
        updated_at: '2021-01-01T00:00:00.000Z',
        event: { type: 'order.imported', occurred_at: '2026-01-02T03:04:05.678Z' },
      });
      assert.deepEqual(await bench.allVersions(order.id), [versionOf(order, event)]);
      assert.deepEqual(await bench.version(order.id, 7), versionOf(order, event));
      assert.deepEqual((await bench.versions(order.id, { at: '2026-01-02T03:04:05.677Z' })).data, []);
      await bench.update(order.id, advance);
      assert.deepEqual(numbersOf(await bench.allVersions(order.id)), [8, 7]);
      assert.deepEqual(await bench.version(order.id, 7), versionOf(order, event));
    });

    it('are separate from those of a customer with the same id', async () => {
      const bench = await open();
      const [placing, creating] = [aKey(), aKey()];
      const order = await bench.storeOrder(anOrder(), placing);
      const { id } = order;
      const customer = await bench.storeCustomer(aCustomer({ id }), creating);
      const advanced = await bench.update(id, advance);
      const recorded = await succeeds(bench.customers.findRecorded(bench.owner, creating));
      assert.deepEqual(recorded, { sameCommand: true, id, aggregate: customer });
      await bench.removeCustomer(id);
      const versions = await bench.allVersions(id);
      assert.deepEqual(
        versions.map((version) => version.order),
        [advanced.aggregate, order],
      );
      assert.deepEqual((await bench.recorded(placing))?.aggregate, order);
    });

    it('are returned as copies', async () => {
      const bench = await open();
      const { id } = await bench.storeOrder(anOrder({ metadata: { colour: 'blue' } }));
      await bench.update(id, { metadata: { size: 'L' } });
      for (let time = 0; time < 3; time += 1) {
        const [listed] = await bench.allVersions(id);
        const found = await bench.version(id, 2);
        const { data: atTime } = await bench.versions(id, { at: '9999-01-01T00:00:00Z' });
        for (const order of [listed?.order, found.order, atTime[0]?.order]) {
          assert.deepEqual(order?.metadata, { colour: 'blue', size: 'L' });
          Object.assign(order.metadata, { colour: 'red' });
        }
      }
    });
  });
}
