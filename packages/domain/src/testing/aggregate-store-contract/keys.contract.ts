import type { Conflict } from '../../aggregates/aggregate-store.ts';
import type { DomainEvent } from '../../shared/domain-event.ts';
import type { Idempotency } from '../../shared/idempotency.ts';
import type { Unavailable } from '../../shared/unavailable.ts';
import * as assert from '../assertions.ts';
import { aKey } from '../builders.ts';
import { type Cases, fails, succeeds } from '../contract-subject.ts';
import type { Aggregate, AggregateFixtures, Bench } from './subject.ts';

export function keysContract<A extends Aggregate, E extends DomainEvent<string>, Refused>(
  { describe, it }: Cases<Bench<A, E, Refused>>,
  { kind, anAggregate, erases }: AggregateFixtures<A, E, Refused>,
): void {
  describe(`an idempotency key in ${kind}`, () => {
    const another = (key: Idempotency): Idempotency => ({ ...key, fingerprint: 'another' });
    /** Checks the error of a write that has the key of another command, whose aggregate need not be returned. */
    const usedFor = (id: string, error: Conflict<A, Refused> | Unavailable): void => {
      assert.ok(error.type === 'key_used', `the key is not used: ${error.type}`);
      const { sameCommand, id: recorded } = error.recorded;
      assert.deepEqual({ sameCommand, id: recorded }, { sameCommand: false, id }, 'the record of another command');
    };

    it('is recorded with the version that its write made, whatever is written later', async (bench) => {
      const { stored, advance, commit, creation, deletion, load, recorded, store, owner } = bench;
      const keys = [aKey(), aKey(), aKey(), aKey()] as const;
      const [staying, other] = [aKey(), anAggregate()];
      await stored(other, staying);
      const first = anAggregate();
      const { id } = first;
      await stored(first, keys[0]);
      const second = await advance(id, 'second', keys[1]);
      await succeeds(commit({ kind: 'key_only', before: await load(id), key: keys[2] }));
      await advance(id, 'third');
      const versions = [first, second, second];
      const check = async (expected: readonly (A | null)[]) => {
        for (const [index, aggregate] of expected.entries()) {
          const key = keys[index] ?? aKey();
          const record = await recorded(key);
          assert.deepEqual(record, { sameCommand: true, id, aggregate });
          assert.equal(JSON.stringify(record.aggregate), JSON.stringify(aggregate));
          const used = await fails(commit(creation(anAggregate(), key)));
          assert.deepEqual(used, { type: 'key_used', recorded: record });
          const found = await succeeds(store.findRecorded(owner, another(key)));
          const message = 'the record of another command';
          assert.deepEqual({ sameCommand: found?.sameCommand, id: found?.id }, { sameCommand: false, id }, message);
        }
      };
      await check(versions);
      await succeeds(commit(deletion(await load(id), keys[3])));
      await check([...versions.map((version) => (erases ? null : version)), null]);
      assert.deepEqual(await recorded(staying), { sameCommand: true, id: other.id, aggregate: other });
    });

    it('has no record before it is used', async ({ recorded, stored }) => {
      await stored(anAggregate(), aKey());
      assert.equal(await recorded(aKey()), null);
    });

    it('stores nothing when it is used, and comes before a refusal and a taken id', async (bench) => {
      const { stored, change, deletion, creation, commit, advance, storesNothing } = bench;
      const key = aKey();
      const { aggregate } = await stored(anAggregate(), key);
      const { id } = aggregate;
      const before = await stored();
      await advance(before.aggregate.id, 'later');
      const current = await stored();
      const { created } = await bench.kind.refusal();
      const ids = [id, before.aggregate.id, current.aggregate.id, created.id];
      const writesWith = (used: Idempotency) => [
        creation(anAggregate(), used),
        change(current, 'text', used),
        deletion(current, used),
        { kind: 'key_only', before: current, key: used } as const,
        creation(anAggregate({ id }), used),
        creation(created, used),
      ];
      await storesNothing(ids, async () => {
        for (const write of writesWith(key)) {
          const recorded = { sameCommand: true, id, aggregate };
          assert.deepEqual(await fails(commit(write)), { type: 'key_used', recorded }, `a ${write.kind}`);
        }
        for (const write of writesWith(another(key))) usedFor(id, await fails(commit(write)));
      });
    });

    it('is used by a write of another kind, too', async (bench) => {
      const { stored, creation, change, deletion, commit, storesNothing, recorded } = bench;
      const key = aKey({ fingerprint: 'of another kind' });
      const id = await bench.kind.storeOther(key);
      const before = await stored();
      const own = { ...key, fingerprint: 'of this kind' };
      const created = creation(anAggregate(), own);
      await storesNothing([before.aggregate.id], async () => {
        for (const write of [created, change(before, 'text', own), deletion(before, own)])
          usedFor(id, await fails(commit(write)));
      });
      assert.deepEqual((await recorded(own))?.sameCommand, false);
    });

    it('can be used again when it has expired, not earlier', async (bench) => {
      const { commitAsPlanned, stored, change, deletion, commit, find, load, recorded, creation } = bench;
      const key = aKey();
      const at = (now: string, expires_at: string, fingerprint: string) => ({ ...key, now, expires_at, fingerprint });
      const first = await stored(anAggregate(), key);
      const early = at('2026-01-03T03:04:05.677Z', '2026-02-01T00:00:00.000Z', 'early');
      usedFor(first.aggregate.id, await fails(commit(creation(anAggregate(), early))));
      const keys = [
        at(key.expires_at, '2026-02-01T00:00:00.000Z', 'second'),
        at('2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z', 'third'),
        at('2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z', 'fourth'),
        at('2026-04-01T00:00:00.000Z', '2026-05-01T00:00:00.000Z', 'fifth'),
      ] as const;
      const { id } = anAggregate();
      await succeeds(commitAsPlanned(creation(anAggregate({ id }), keys[0])));
      const second = await load(id);
      assert.deepEqual(await recorded(keys[0]), { sameCommand: true, id, aggregate: second.aggregate });
      await succeeds(commitAsPlanned(change(second, 'third', keys[1])));
      const third = await load(id);
      assert.deepEqual(await recorded(keys[1]), { sameCommand: true, id, aggregate: third.aggregate });
      await succeeds(commitAsPlanned({ kind: 'key_only', before: third, key: keys[2] }));
      await succeeds(commitAsPlanned(deletion(third, keys[3])));
      assert.equal(await find(id), null);
      assert.deepEqual(await recorded(keys[3]), { sameCommand: true, id, aggregate: null });
      assert.equal(await recorded(at('2026-05-01T00:00:00.000Z', '2026-06-01T00:00:00.000Z', 'sixth')), null);
    });

    for (const [name, isExpired] of [
      ['unused', false],
      ['expired', true],
    ] as const) {
      it(`lets one of many concurrent writes be stored when it is ${name}`, async (bench) => {
        const { stored, creation, change, deletion, commitAsPlanned, find, events, expectEvents } = bench;
        const used = aKey();
        if (isExpired) await stored(anAggregate(), used);
        const later = { now: used.expires_at, expires_at: '2026-02-01T00:00:00.000Z' };
        const key = isExpired ? { ...used, ...later } : used;
        const existing = [await stored(), await stored(), await stored(), await stored()];
        const initial = await events();
        const writes = [
          ...Array.from({ length: 12 }, () => creation(anAggregate(), key)),
          ...existing.map((before, index) => (index === 0 ? deletion(before, key) : change(before, 'text', key))),
        ];
        const results = await Promise.all(writes.map(commitAsPlanned));
        const [winner, ...others] = writes.filter((_, index) => results[index]?.isOk());
        assert.ok(winner, 'no write was stored');
        assert.deepEqual(others, []);
        const after = winner.kind === 'delete' ? null : winner.after;
        const recorded = { sameCommand: true, id: winner.event.aggregate_id, aggregate: after };
        for (const result of results)
          if (result.isErr()) assert.deepEqual(result.error, { type: 'key_used', recorded });
        for (const write of writes) {
          const before = write.kind === 'create' ? null : write.before.aggregate;
          assert.deepEqual(await find(write.event.aggregate_id), write === winner ? after : before);
        }
        await expectEvents(initial, winner);
      });
    }
  });
}
