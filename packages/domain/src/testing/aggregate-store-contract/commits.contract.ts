import type { Loaded, Write } from '../../aggregates/aggregate-store.ts';
import type { DomainEvent } from '../../shared/domain-event.ts';
import type { Idempotency } from '../../shared/idempotency.ts';
import * as assert from '../assertions.ts';
import { aKey } from '../builders.ts';
import { type Cases, fails, succeeds } from '../contract-subject.ts';
import { type Aggregate, type AggregateFixtures, type Bench, textsOf } from './subject.ts';

const WAYS = ['an unused key', 'an expired key', 'a lock'] as const;

export function commitsContract<A extends Aggregate, E extends DomainEvent<string>, Refused>(
  { describe, it }: Cases<Bench<A, E, Refused>>,
  { kind, anAggregate, named, taken, erases, spoil }: AggregateFixtures<A, E, Refused>,
): void {
  type MakeWrite = (bench: Bench<A, E, Refused>, before: Loaded<A>, key: Idempotency) => Write<A, E>;
  const writes: readonly (readonly [title: string, make: MakeWrite])[] = [
    ['a new aggregate', ({ creation }, _, key) => creation(anAggregate(), key)],
    ['a change of what was loaded', ({ change }, before, key) => change(before, 'text', key)],
    ['a key alone', (_, before, key) => ({ kind: 'key_only', before, key })],
    ['a deletion', ({ deletion }, before, key) => deletion(before, key)],
  ];

  describe(`a commit to ${kind}`, () => {
    for (const [title, make] of writes)
      for (const way of title === 'a new aggregate' ? WAYS.slice(0, 2) : WAYS)
        it(`stores ${title}, its event and its key for every server, with ${way}`, async (bench) => {
          const { stored, commitAsPlanned, locked, find, findElsewhere, recorded, events, expectEvents } = bench;
          const [other, before, used] = [await stored(), await stored(), aKey()];
          if (way === 'an expired key') await stored(anAggregate(), used);
          const later = { now: used.expires_at, expires_at: '2026-02-01T00:00:00.000Z' };
          const key = way === 'an expired key' ? { ...used, ...later } : used;
          const initial = await events();
          let write = make(bench, before, key);
          if (way === 'a lock') write = await succeeds(locked(before.aggregate.id, (found) => make(bench, found, key)));
          else await succeeds(commitAsPlanned(write));
          const after = afterOf(write);
          const { id } = after ?? before.aggregate;
          for (const found of [await find(id), await findElsewhere(id)]) {
            assert.deepEqual(found, after);
            assert.deepEqual(textsOf(found), textsOf(after));
          }
          const record = await recorded(key);
          assert.deepEqual(record, { sameCommand: true, id, aggregate: after });
          assert.equal(JSON.stringify(record.aggregate), JSON.stringify(after));
          assert.equal(await recorded({ ...key, now: key.expires_at }), null);
          await expectEvents(initial, write);
          assert.deepEqual(await find(other.aggregate.id), other.aggregate);
        });

    it('stores a key alone also after a later version and the deletion', async (bench) => {
      const { stored, commit, recorded, storesNothing, advance, deletion, load } = bench;
      const before = await stored();
      const { id } = before.aggregate;
      const keys = [aKey(), aKey()] as const;
      const record = async (key = aKey()) =>
        await storesNothing([id], async () => {
          await succeeds(commit({ kind: 'key_only', before, key }));
        });
      await advance(id, 'later');
      await record(keys[0]);
      const whole = { sameCommand: true, id, aggregate: before.aggregate };
      assert.deepEqual(await recorded(keys[0]), whole);
      await succeeds(commit(deletion(await load(id))));
      await record(keys[1]);
      for (const key of keys) assert.deepEqual(await recorded(key), erases ? { ...whole, aggregate: null } : whole);
    });

    it('stores one of many concurrent writes of a version, and the others are stale', async (bench) => {
      const { stored, change, deletion, commit, events, expectEvents, find } = bench;
      const before = await stored();
      const initial = await events();
      const writes = Array.from({ length: 12 }, (_, index) =>
        index === 5 ? deletion(before) : change(before, `text ${index}`, index % 2 === 0 ? aKey() : undefined),
      );
      const results = await Promise.all(writes.map(commit));
      const winners = writes.filter((_, index) => results[index]?.isOk());
      assert.equal(winners.length, 1);
      for (const result of results) if (result.isErr()) assert.deepEqual(result.error, { type: 'stale' });
      await expectEvents(initial, ...winners);
      const [winner] = winners;
      assert.deepEqual(await find(before.aggregate.id), winner?.kind === 'change' ? winner.after : null);
    });

    if (taken)
      it('gives a name to one of many concurrent new aggregates', async ({
        creation,
        commit,
        events,
        expectEvents,
      }) => {
        const initial = await events();
        const writes = Array.from({ length: 10 }, () => creation(named('one')));
        const results = await Promise.all(writes.map(commit));
        const [winner, ...others] = writes.filter((_, index) => results[index]?.isOk());
        assert.ok(winner, 'no write was stored');
        assert.deepEqual(others, []);
        const refused = { type: 'refused', reason: taken(winner.after) };
        for (const result of results) if (result.isErr()) assert.deepEqual(result.error, refused);
        await expectEvents(initial, winner);
      });

    it('of several new aggregates has the result of each, one after the other', async (bench) => {
      const { owner, store, creation, commit, stored, recorded, find } = bench;
      const commitAll = async (...writes: readonly ReturnType<typeof creation>[]) => {
        const outcomes = (await store.commitAll?.(owner, writes, false))?._unsafeUnwrap();
        const results: unknown[] = [];
        for (const [index, write] of writes.entries()) {
          // What the store leaves is committed alone.
          const outcome = outcomes?.[index] ?? (await commit(write));
          results.push(outcome.isOk() ? 'stored' : outcome.error);
        }
        return results;
      };
      const [used, first, second] = [aKey(), aKey(), aKey()];
      const { aggregate } = await stored(anAggregate(), used);
      const [one, twice, last] = [anAggregate(), anAggregate(), anAggregate()];
      const again = { sameCommand: true, id: aggregate.id, aggregate };
      assert.deepEqual(
        await commitAll(
          creation(one, first),
          creation(anAggregate(), used),
          creation(anAggregate({ id: aggregate.id })),
          creation(twice),
          creation(anAggregate({ id: twice.id }), second),
          creation(last),
        ),
        [
          'stored',
          { type: 'key_used', recorded: again },
          { type: 'id_taken' },
          'stored',
          { type: 'id_taken' },
          'stored',
        ],
      );
      assert.deepEqual(await recorded(first), { sameCommand: true, id: one.id, aggregate: one });
      assert.equal(await recorded(second), null);
      assert.deepEqual([await find(twice.id), await find(last.id)], [twice, last]);
    });

    it('of several new aggregates as a whole stores all or none', async (bench) => {
      const { owner, store, creation, stored, find, storesNothing } = bench;
      const { aggregate } = await stored();
      const writes = [creation(anAggregate()), creation(anAggregate({ id: aggregate.id })), creation(anAggregate())];
      await storesNothing(
        writes.map(({ after }) => after.id),
        async () => {
          const outcomes = (await store.commitAll?.(owner, writes, true))?._unsafeUnwrap() ?? [];
          assert.equal(
            outcomes.some((each) => each?.isOk()),
            false,
          );
        },
      );
      assert.deepEqual(await find(aggregate.id), aggregate);
    });

    it('copies arguments and results, so that changing them does not change the store', async (bench) => {
      const { owner, creation, commit, load, find, recorded, store, change } = bench;
      const [after, key, changing] = [anAggregate(), aKey(), aKey()];
      const write = creation(after, key);
      await succeeds(commit(write));
      const { id } = after;
      const texts = textsOf(after);
      const locked = (lookUp?: Idempotency) =>
        succeeds(
          store.commitLocked(owner, id, lookUp, (found) => {
            return { write: null, result: (found.recorded ?? found.loaded)?.aggregate };
          }),
        );
      const used = async () => {
        const error = await fails(commit(creation(anAggregate(), key)));
        return error.type === 'key_used' ? error.recorded.aggregate : null;
      };
      const found = [() => find(id), async () => (await recorded(key))?.aggregate, locked, () => locked(key), used];
      const copies = [() => Promise.resolve(after), ...found];
      for (const copy of [...copies, ...copies]) spoil((await copy()) ?? assert.fail('no copy of the aggregate'));
      for (const copy of found) assert.deepEqual(textsOf((await copy()) ?? null), texts);
      const changed = change(await load(id), 'text', changing);
      const expected = textsOf(changed.after);
      await succeeds(commit(changed));
      spoil(changed.after);
      assert.deepEqual(textsOf(await find(id)), expected);
      assert.deepEqual(textsOf((await recorded(changing))?.aggregate ?? null), expected);
    });
  });

  describe(`${kind} of another owner`, () => {
    it('cannot be loaded, changed or deleted', async ({ stored, ofAnother, storesNothing }) => {
      const before = await stored();
      const { id } = before.aggregate;
      const other = ofAnother();
      await storesNothing([id], async () => {
        assert.equal(await other.find(id), null, 'the aggregate of another owner');
        for (const write of [other.change(before, 'stolen'), other.deletion(before)])
          assert.deepEqual(await fails(other.commit(write)), { type: 'stale' });
        const locked = other.store.commitLocked(other.owner, id, undefined, (found) => ({
          write: null,
          result: found,
        }));
        assert.deepEqual(await succeeds(locked), { loaded: null, recorded: null });
      });
      await other.expectEvents({});
    });

    it('may have names and keys that are the same text behind those of their owner', async (bench) => {
      for (const joint of ['', ' ', ':', '/', '|', '-', '.', ',', '#']) {
        // Joined by a colon, `a` with `b:c` and `a:b` with `c` are one text.
        const own = bench.ofAnother();
        const other = own.ofAnother(`${own.owner}${joint}b`);
        const name = `b${joint}c`;
        const message = `"${name}" of the owner "${own.owner}" is not "c" of "${other.owner}"`;
        const [key, otherKey] = [aKey({ key: name }), aKey({ key: 'c', fingerprint: 'another' })];
        const { aggregate } = await own.stored(named(name), key);
        const after = named('c');
        const outcome = await other.commit(other.creation(after, otherKey));
        assert.equal(outcome.isOk() ? 'stored' : outcome.error.type, 'stored', message);
        assert.deepEqual((await own.recorded(key))?.id, aggregate.id, message);
        assert.deepEqual((await other.recorded(otherKey))?.id, after.id, message);
      }
    });

    it('may have the same ids and keys, and are not affected', async (bench) => {
      const other = bench.ofAnother();
      const key = aKey();
      const { aggregate } = await bench.stored(anAggregate(), key);
      const { id } = aggregate;
      assert.equal(await other.recorded(key), null);
      const foreign = { ...key, fingerprint: 'another' };
      const own = (await other.stored(anAggregate({ id }), foreign)).aggregate;
      await other.advance(id, 'of another owner');
      assert.deepEqual(await bench.find(id), aggregate);
      const recorded = { sameCommand: true, id, aggregate };
      assert.deepEqual(await bench.recorded(key), recorded);
      assert.deepEqual(await other.recorded(foreign), { ...recorded, aggregate: own });
      await succeeds(other.commit(other.deletion(await other.load(id))));
      assert.deepEqual(await bench.find(id), aggregate);
      assert.deepEqual(await bench.recorded(key), recorded);
    });
  });
}

/** Returns the aggregate after a write; `null` for a deletion. */
function afterOf<A, E>(write: Write<A, E>): A | null {
  if (write.kind === 'delete') return null;
  return write.kind === 'key_only' ? write.before.aggregate : write.after;
}
