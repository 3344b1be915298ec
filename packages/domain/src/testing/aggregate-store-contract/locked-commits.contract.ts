import type { Found } from '../../aggregates/aggregate-store.ts';
import type { DomainEvent } from '../../shared/domain-event.ts';
import type { Idempotency } from '../../shared/idempotency.ts';
import * as assert from '../assertions.ts';
import { aKey } from '../builders.ts';
import { type Cases, EVERY_EVENT, rejects, succeeds } from '../contract-subject.ts';
import { type Aggregate, type AggregateFixtures, type Bench, given } from './subject.ts';

/** Values that a decision throws. An adapter must not treat them as errors of its database, and must not retry. */
const THROWN_VALUES: readonly (readonly [name: string, thrown: unknown])[] = [
  ['an error', new Error('a bug in the change')],
  ['an error that looks like a constraint violation', Object.assign(new Error('duplicate'), { code: '23505' })],
  ['an error that looks like a lost connection', Object.assign(new Error('lost'), { code: 'ECONNRESET' })],
  ['an error that looks like a deadlock', Object.assign(new Error('deadlock'), { code: '40P01' })],
  ['nothing', undefined],
];

export function lockedCommitsContract<A extends Aggregate, E extends DomainEvent<string>, Refused>(
  { describe, it }: Cases<Bench<A, E, Refused>>,
  { kind, anAggregate, erases }: AggregateFixtures<A, E, Refused>,
): void {
  /** Returns a decision that stores nothing. */
  const nothing = (found: Found<A>) => ({ write: null, result: found });

  describe(`a locked commit to ${kind}`, () => {
    it('stores nothing without a write', async ({ stored, store, owner, storesNothing }) => {
      const before = await stored();
      const { id } = before.aggregate;
      await storesNothing([id], async () => {
        const found = await succeeds(store.commitLocked(owner, id, aKey(), nothing));
        assert.deepEqual([found.loaded?.aggregate, found.recorded], [before.aggregate, null]);
        const unknown = store.commitLocked(owner, anAggregate().id, aKey(), nothing);
        assert.deepEqual(await succeeds(unknown), { loaded: null, recorded: null });
      });
    });

    it('looks up the given key, and then loads no aggregate', async ({ stored, store, owner, advance }) => {
      const key = aKey();
      const { aggregate } = await stored(anAggregate(), key);
      const { id } = aggregate;
      const current = await advance(id, 'later');
      const other = await stored();
      for (const target of [id, other.aggregate.id]) {
        const found = await succeeds(store.commitLocked(owner, target, key, nothing));
        assert.deepEqual(found, { loaded: null, recorded: { sameCommand: true, id, aggregate } });
      }
      const later = { ...key, now: key.expires_at, expires_at: '2026-02-01T00:00:00.000Z' };
      const unlooked = await succeeds(store.commitLocked(owner, id, undefined, nothing));
      assert.deepEqual([unlooked.loaded?.aggregate, unlooked.recorded], [current, null]);
      const expired = await succeeds(store.commitLocked(owner, id, later, nothing));
      assert.deepEqual([expired.loaded?.aggregate, expired.recorded], [current, null]);
    });

    it('is applied after every concurrent one, and none is lost or stale', async (bench) => {
      const { stored, store, owner, locked, change, load, find, events } = bench;
      const { id } = (await stored()).aggregate;
      const initial = await events();
      const writing = Array.from({ length: 20 }, (_, index) => locked(id, (before) => change(before, `text ${index}`)));
      const versions = (await Promise.all(writing.map(succeeds))).map(({ after }) => after.version);
      assert.deepEqual(new Set(versions).size, 20, 'the number of versions');
      assert.equal((await load(id)).aggregate.version, 21);
      assert.equal(Object.keys(await events()).length, Object.keys(initial).length + 20, EVERY_EVENT);
      const last = await succeeds(store.commitLocked(owner, id, undefined, nothing));
      assert.deepEqual(last.loaded?.aggregate, await find(id));
    });

    it('is never lost to commits that take no lock', async ({ stored, locked, change, commit, load }) => {
      const before = await stored();
      const { id } = before.aggregate;
      const writing = Array.from({ length: 10 }, (_, index) => locked(id, (found) => change(found, `${index}`)));
      const unlocked = await Promise.all(Array.from({ length: 5 }, () => commit(change(before, 'unlocked'))));
      await Promise.all(writing.map(succeeds));
      const stores = unlocked.filter((result) => result.isOk()).length;
      assert.ok(stores <= 1, 'two writes of one version were stored');
      for (const result of unlocked) if (result.isErr()) assert.deepEqual(result.error, { type: 'stale' });
      assert.equal((await load(id)).aggregate.version, 11 + stores);
    });

    it('never restores an aggregate that is deleted concurrently, nor a version that is erased', async (bench) => {
      const { stored, store, owner, change, deletion, find, recorded } = bench;
      const { id } = (await stored()).aggregate;
      const keys = Array.from({ length: 12 }, () => aKey());
      const decide = (key: Idempotency, index: number) => (found: Found<A>) => {
        const { loaded: before } = found;
        if (!before) return { write: null, result: null };
        if (index === 4) return { write: deletion(before, key), result: null };
        const after = index % 2 === 0 ? before.aggregate : change(before, `${index}`).after;
        const write = index % 2 === 0 ? ({ kind: 'key_only', before, key } as const) : change(before, `${index}`, key);
        return { write, result: after };
      };
      const results = await Promise.all(
        keys.map((key, index) => succeeds(store.commitLocked(owner, id, undefined, decide(key, index)))),
      );
      assert.equal(await find(id), null);
      for (const [index, key] of keys.entries()) {
        const aggregate = results[index] ?? null;
        const expected = { sameCommand: true, id, aggregate: erases ? null : aggregate };
        assert.deepEqual(await recorded(key), aggregate || index === 4 ? expected : null);
      }
    });

    it('stores one of many concurrent writes with one key', async ({ stored, store, owner, change, load }) => {
      const { id } = (await stored()).aggregate;
      const key = aKey();
      /** Returns the version that the write has changed, or that it has found recorded. */
      const decide = (found: Found<A>) =>
        found.recorded
          ? { write: null, result: found.recorded.aggregate?.version }
          : { write: change(given(found), 'text', key), result: given(found).aggregate.version };
      const results = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          store.commitLocked(owner, id, index % 2 === 0 ? key : undefined, decide),
        ),
      );
      const { aggregate } = await load(id);
      assert.equal(aggregate.version, 2);
      assert.equal(results.filter((result) => result.isOk() && result.value === 1).length, 1);
      const recorded = { sameCommand: true, id, aggregate };
      for (const result of results) {
        if (result.isErr()) assert.deepEqual(result.error, { type: 'key_used', recorded });
        else assert.ok(result.value === 1 || result.value === 2, 'the record has another version');
      }
    });

    for (const [name, thrown] of THROWN_VALUES) {
      it(`rejects with the value that the decision throws, stores nothing and releases the lock: ${name}`, async (bench) => {
        const { stored, store, owner, locked, storesNothing, advance, change, find } = bench;
        const { id } = (await stored()).aggregate;
        let calls = 0;
        const raise = () => {
          calls += 1;
          throw thrown;
        };
        await storesNothing([id], async () => {
          // More often than a pool has connections, so that a leaked connection would block the test.
          for (let count = 1; count <= 12; count += 1) {
            assert.equal(await rejects(() => store.commitLocked(owner, id, undefined, raise)), thrown);
            assert.equal(await rejects(() => store.commitLocked(owner, id, aKey(), raise)), thrown);
            assert.equal(calls, 2 * count);
          }
        });
        await advance(id, 'later');
        await succeeds(locked(id, (before) => change(before, 'last')));
        assert.equal((await find(id))?.version, 3);
      });
    }
  });
}
