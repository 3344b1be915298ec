import type { Conflict, Loaded, Write } from '../../aggregates/aggregate-store.ts';
import { CONFLICT_ORDER, type ConflictRule } from '../../aggregates/conflict-order.ts';
import type { DomainEvent } from '../../shared/domain-event.ts';
import type { Idempotency } from '../../shared/idempotency.ts';
import type { Unavailable } from '../../shared/unavailable.ts';
import * as assert from '../assertions.ts';
import { aKey } from '../builders.ts';
import { type Cases, fails, succeeds } from '../contract-subject.ts';
import type { Aggregate, AggregateFixtures, Bench } from './subject.ts';

/** What each write may violate beside the rules about several aggregates. */
const OF_EVERY = ['key_used', 'key_used by another command', 'key_used by another kind'] as const;
const OF_EXISTING = ['stale', 'stale, as it is deleted'] as const;

type Violated = ConflictRule | (typeof OF_EVERY)[number] | (typeof OF_EXISTING)[number];

/** A write, and what it has because of what it violates. */
interface Draft<A> {
  /** The aggregate that is changed or deleted, or whose id a new one has. */
  id: string;
  members: Partial<A>;
  key: Idempotency;
}

/** Pairs of which no write has both: an unknown customer is not erased, and nobody chooses the id of an endpoint. */
const NEVER_BOTH = ['unknown_customer before customer_erased', 'id_taken before too_many_endpoints'];

/** Returns each of the rules alone, and each pair of those that have an order. */
function violationsOf(rules: readonly ConflictRule[], others: readonly Violated[]): readonly (readonly Violated[])[] {
  const ordered = CONFLICT_ORDER.filter((rule) => rule === 'key_used' || rules.includes(rule));
  const pairs = ordered.flatMap((first, index) => ordered.slice(index + 1).map((second) => [first, second] as const));
  const possible = pairs.filter((pair) => !NEVER_BOTH.includes(pair.join(' before ')));
  return [...[...others, ...rules].map((rule) => [rule]), ...possible];
}

export function refusalsContract<A extends Aggregate, E extends DomainEvent<string>, Refused>(
  { describe, it }: Cases<Bench<A, E, Refused>>,
  { kind, rules, anAggregate }: AggregateFixtures<A, E, Refused>,
): void {
  type AnyBench = Bench<A, E, Refused>;
  type Error = Conflict<A, Refused> | Unavailable;
  type Attempt = (bench: AnyBench, draft: Draft<A>, before: Loaded<A>) => Promise<Error>;

  /** Makes a write violate a rule, and returns the error. */
  const violate = async (rule: Violated, bench: AnyBench, draft: Draft<A>): Promise<unknown> => {
    const { stored, deletion, commit, kind: of } = bench;
    if (rule === 'stale' || rule === 'stale, as it is deleted') return { type: 'stale' };
    if (rule === 'id_taken') {
      const existing = await stored();
      draft.id = existing.aggregate.id;
      await succeeds(commit(deletion(existing)));
      return { type: 'id_taken' };
    }
    if (rule === 'key_used by another kind') {
      const id = await of.storeOther(draft.key);
      draft.key = { ...draft.key, fingerprint: 'of this kind' };
      return { type: 'key_used', recorded: { sameCommand: false, id } };
    }
    if (rule === 'key_used' || rule === 'key_used by another command') {
      const { aggregate } = await stored(anAggregate(), draft.key);
      const { id } = aggregate;
      if (rule === 'key_used') return { type: 'key_used', recorded: { sameCommand: true, id, aggregate } };
      // A moment before the record expires.
      draft.key = { ...draft.key, fingerprint: 'another', now: '2026-01-03T03:04:05.677Z' };
      return { type: 'key_used', recorded: { sameCommand: false, id } };
    }
    const { members, reason } = (await of.violations[rule]?.(draft.id)) ?? assert.fail(`no write violates ${rule}`);
    Object.assign(draft.members, members);
    return { type: 'refused', reason };
  };

  const creation = ({ creation: create }: AnyBench, { id, members, key }: Draft<A>, version: number) =>
    create({ ...anAggregate({ id }), ...members, version }, key);
  const change = ({ change: next }: AnyBench, { members, key }: Draft<A>, before: Loaded<A>) => {
    const write = next(before, 'refused', key);
    return { ...write, after: { ...write.after, ...members } };
  };
  const deletion = (bench: AnyBench, { key }: Draft<A>, before: Loaded<A>) => bench.deletion(before, key);
  const keyAlone = (_: AnyBench, { key }: Draft<A>, before: Loaded<A>) => ({ kind: 'key_only', before, key }) as const;

  type MakeWrite = (bench: AnyBench, draft: Draft<A>, before: Loaded<A>) => Write<A, E>;
  const alone =
    (make: MakeWrite): Attempt =>
    (bench, draft, before) =>
      fails(bench.commit(make(bench, draft, before)));
  const locked =
    (make: MakeWrite): Attempt =>
    (bench, draft) =>
      fails(bench.locked(draft.id, (before) => make(bench, draft, before)));
  const together: Attempt = async (bench, draft) => {
    const write = creation(bench, draft, 1);
    const outcome = (await bench.store.commitAll?.(bench.owner, [write], false))?._unsafeUnwrap()[0];
    return outcome?.isErr() ? outcome.error : await fails(bench.commit(write));
  };

  const ofNew = ['id_taken', ...rules.create] as const;
  const writes: readonly (readonly [string, readonly ConflictRule[], readonly Violated[], Attempt])[] = [
    ...[1, 7].map((version) => {
      const make: MakeWrite = (bench, draft) => creation(bench, draft, version);
      return [`a creation at version ${version}`, ofNew, OF_EVERY, alone(make)] as const;
    }),
    ['a creation together with others', ofNew, OF_EVERY, together],
    ['a change', rules.change, [...OF_EVERY, ...OF_EXISTING], alone(change)],
    ['a locked change', [], [...OF_EVERY, ...rules.change], locked(change)],
    ['a deletion', rules.delete, [...OF_EVERY, ...OF_EXISTING], alone(deletion)],
    ['a locked deletion', [], [...OF_EVERY, ...rules.delete], locked(deletion)],
    ['a key alone', [], OF_EVERY, alone(keyAlone)],
    ['a key alone with a lock', [], OF_EVERY, locked(keyAlone)],
  ];

  describe(`what ${kind} refuse, of which nothing is stored`, () => {
    for (const [title, ofSeveral, others, attempt] of writes) {
      for (const violated of violationsOf(ofSeveral, others)) {
        it(`${title}: ${violated.join(' before ')}`, async (bench) => {
          const isNew = title.startsWith('a creation');
          const unused = aKey();
          const id = isNew ? anAggregate().id : (await bench.stored()).aggregate.id;
          const draft: Draft<A> = { id, members: {}, key: unused };
          const errors: unknown[] = [];
          for (const rule of violated) errors.push(await violate(rule, bench, draft));
          const before = isNew ? { aggregate: anAggregate() } : await bench.load(id);
          if (violated.includes('stale')) await bench.advance(id, 'later');
          if (violated.includes('stale, as it is deleted')) await succeeds(bench.commit(bench.deletion(before)));
          await bench.storesNothing([id, draft.id], async () => {
            assert.deepEqual(withoutForeign(await attempt(bench, draft, before)), errors[0]);
          });
          if (!violated.some((rule) => rule.startsWith('key_used')))
            assert.equal(await bench.recorded(unused), null, 'the record of the key');
        });
      }
    }
  });
}

/** Returns an error without the aggregate in the record of another command, which need not be returned. */
function withoutForeign(error: Conflict<unknown, unknown> | Unavailable): unknown {
  if (error.type !== 'key_used' || error.recorded.sameCommand) return error;
  return { type: error.type, recorded: { sameCommand: false, id: error.recorded.id } };
}
