import type { DomainEvent } from '../../shared/domain-event.ts';
import type { Idempotency } from '../../shared/idempotency.ts';
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
