import type { Found } from '../../aggregates/aggregate-store.ts';
import type { DomainEvent } from '../../shared/domain-event.ts';
import type { Idempotency } from '../../shared/idempotency.ts';
import * as assert from '../assertions.ts';
import { aKey } from '../builders.ts';
import { type Cases, EVERY_EVENT, fails, rejects, succeeds } from '../contract-subject.ts';
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
  { kind, anAggregate, erases, refusesChanges }: AggregateFixtures<A, E, Refused>,
): void {
  /** Returns a decision that stores nothing. */
  const nothing = (found: Found<A>) => ({ write: null, result: found });

  describe(`a locked commit to ${kind}`, () => {
    it('stores what is decided about the current version, and returns the result', async (bench) => {
      const { stored, store, owner, change, deletion, find, recorded, events, expectEvents } = bench;
      const { id } = (await stored()).aggregate;
      const keys = [aKey(), aKey(), aKey()] as const;
      const changed = await succeeds(
        store.commitLocked(owner, id, undefined, (found) => {
          const write = change(given(found), 'text', keys[0]);
          return { write, result: write.after };
        }),
      );
      assert.deepEqual(await find(id), changed);
      assert.deepEqual(await recorded(keys[0]), { sameCommand: true, id, aggregate: changed });
      const before = await events();
      const recordKey = (found: Found<A>) => {
        return { write: { kind: 'key_only', before: given(found), key: keys[1] } as const, result: 'recorded' };
      };
      assert.equal(await succeeds(store.commitLocked(owner, id, undefined, recordKey)), 'recorded');
      assert.deepEqual(await recorded(keys[1]), { sameCommand: true, id, aggregate: changed });
      await expectEvents(before);
      const remove = (found: Found<A>) => ({ write: deletion(given(found), keys[2]), result: null });
      assert.equal(await succeeds(store.commitLocked(owner, id, undefined, remove)), null);
      assert.equal(await find(id), null);
      assert.deepEqual(await recorded(keys[2]), { sameCommand: true, id, aggregate: null });
    });

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

    it('stores nothing with a used key, also what a rule refuses', async (bench) => {
      const { stored, store, owner, change, deletion, storesNothing, refusal } = bench;
      const key = aKey();
      const { aggregate } = await stored(anAggregate(), key);
      const { id } = (await stored()).aggregate;
      const { changed } = await refusal();
      const recorded = { sameCommand: true, id: aggregate.id, aggregate };
      const writes = [
        (found: Found<A>) => change(given(found), 'text', key),
        (found: Found<A>) => deletion(given(found), key),
        (found: Found<A>) => ({ kind: 'key_only', before: given(found), key }) as const,
        (found: Found<A>) => {
          const write = change(given(found), 'text', key);
          return changed ? { ...write, after: changed(write.before.aggregate) } : write;
        },
      ];
      await storesNothing([id], async () => {
        for (const write of writes) {
          const decide = (found: Found<A>) => ({ write: write(found), result: 'stored' });
          const error = await fails(store.commitLocked(owner, id, undefined, decide));
          assert.deepEqual(error, { type: 'key_used', recorded });
        }
      });
    });

    if (refusesChanges)
      it('stores no change that a rule refuses', async (bench) => {
        const { stored, store, owner, change, storesNothing, recorded, refusal } = bench;
        const { id } = (await stored()).aggregate;
        const { changed, reason } = await refusal();
        assert.ok(changed, 'the fixtures have no such change');
        const key = aKey();
        const decide = (found: Found<A>) => {
          const write = { ...change(given(found), 'text', key), after: changed(given(found).aggregate) };
          return { write, result: 'stored' };
        };
        await storesNothing([id], async () => {
          const error = await fails(store.commitLocked(owner, id, undefined, decide));
          assert.deepEqual(error, { type: 'refused', reason });
        });
        assert.equal(await recorded(key), null);
      });

    it('is applied after every concurrent one, and none is lost or stale', async (bench) => {
      const { stored, store, owner, change, load, find, events } = bench;
      const { id } = (await stored()).aggregate;
      const initial = await events();
      const versions = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          succeeds(
            store.commitLocked(owner, id, undefined, (found) => {
              const before = given(found);
              return { write: change(before, `text ${index}`), result: before.aggregate.version };
            }),
          ),
        ),
      );
      const expected = Array.from({ length: 20 }, (_, index) => index + 1);
      assert.deepEqual(
        versions.toSorted((left, right) => left - right),
        expected,
      );
      assert.equal((await load(id)).aggregate.version, 21);
      assert.equal(Object.keys(await events()).length, Object.keys(initial).length + 20, EVERY_EVENT);
      const last = await succeeds(store.commitLocked(owner, id, undefined, nothing));
      assert.deepEqual(last.loaded?.aggregate, await find(id));
    });

    it('is never lost to commits that take no lock', async ({ stored, store, owner, change, commit, load }) => {
      const before = await stored();
      const { id } = before.aggregate;
      const locked = Array.from({ length: 10 }, (_, index) =>
        succeeds(
          store.commitLocked(owner, id, undefined, (found) => ({ write: change(given(found), `${index}`), result: 0 })),
        ),
      );
      const unlocked = await Promise.all(Array.from({ length: 5 }, () => commit(change(before, 'unlocked'))));
      await Promise.all(locked);
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
        const { stored, store, owner, storesNothing, advance, change, find } = bench;
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
        const decide = (found: Found<A>) => ({ write: change(given(found), 'last'), result: 'stored' });
        assert.equal(await succeeds(store.commitLocked(owner, id, undefined, decide)), 'stored');
        assert.equal((await find(id))?.version, 3);
      });
    }
  });
}
