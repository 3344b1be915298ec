import type { Owner } from '@orders/domain';
import type { Connected } from '../connected.ts';
import type { Executor } from '../shared/executor.ts';
import type { OwnerSteps } from '../shared/owner-steps.ts';
import { isOwnersFault } from '../shared/postgres-errors.ts';
import type { QueueStatements } from './queue-statements.ts';

/** A range of owners, without its beginning. */
interface Range {
  readonly after: Owner;
  readonly until: Owner;
}

/** The rows of a range of owners, and the end of the range; `null` when no owner with endpoints is behind it. */
interface RangeRows<Row> {
  readonly rows: readonly Row[];
  readonly next: Owner | null;
}

/**
 * Returns a function that queries the next owners with `limit` endpoints. After a failure, it halves their number, until the
 * owner that it is about is alone and is passed over.
 */
export function ownerRanges({ primary }: Pick<Connected, 'primary'>, { owners, planAgain }: QueueStatements) {
  return async <Row>(
    { after, limit }: { readonly after: Owner; readonly limit: number },
    steps: OwnerSteps,
    select: (transaction: Executor, range: Range) => Promise<readonly Row[]>,
  ): Promise<RangeRows<Row>> => {
    const read = (size: number): Promise<RangeRows<Row>> =>
      primary.transaction(async (transaction) => {
        await planAgain(transaction, {});
        const [range] = await owners(transaction, { page: { after, limit: size } });
        if (typeof range?.until !== 'string') return { rows: [], next: null };
        const { until, count } = range;
        return { rows: await select(transaction, { after, until }), next: count < size ? null : until };
      });
    for (let size = limit; size > 1; size = Math.ceil(size / 2)) {
      try {
        return await read(size);
      } catch (cause) {
        if (!isOwnersFault(cause)) throw cause;
      }
    }
    const [first] = await owners(primary, { page: { after, limit: 1 } });
    if (typeof first?.until !== 'string') return { rows: [], next: null };
    return (await steps.attempt(first.until, () => read(1))) ?? { rows: [], next: first.until };
  };
}
