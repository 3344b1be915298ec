import type { Recorded } from '../once/recorded.ts';

/** The aggregate that a record holds; `undefined` when it holds none, having been a deletion's or forgotten. */
export function recordedAggregate<A>(
  { id, aggregate }: Recorded,
  is: (aggregate: object) => aggregate is A & object,
): A | undefined {
  if (aggregate === null) return undefined;
  if (typeof aggregate === 'object' && is(aggregate)) return aggregate;
  throw new Error(`the record of ${id} holds something else than its write left`);
}
