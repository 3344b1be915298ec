import type { Owner } from '@orders/domain';
import type { DatabaseParts } from '../database-parts.ts';
import { livingOwners } from '../owners/living-owners.ts';
import type { OwnerSteps } from '../owners/owner-steps.ts';
import { isNodeFault, isOwnersFault } from '../postgres/postgres-errors.ts';
import type { OfOwners } from './of-owners.ts';
import type { QueueStatements } from './queue-statements.ts';

/** The next owners to query: the owners behind `after` with `limit` endpoints. */
interface Page {
  readonly after: Owner;
  readonly limit: number;
}

/** The rows of a range of owners, and the end of the range; `null` when no owner with endpoints is behind it. */
interface RangeRows<Row> {
  readonly rows: readonly Row[];
  readonly next: Owner | null;
}

/**
 * Returns a function that queries the next owners. After a failure, it halves their number, until the owner that it is
 * about is alone and is passed over. While a node of Citus is down, it queries those of the others one by one.
 */
export function ownerRanges(
  { orm, primary }: Pick<DatabaseParts, 'orm' | 'primary'>,
  { owners, planAgain }: Pick<QueueStatements, 'owners' | 'planAgain'>,
) {
  const living = livingOwners(orm, 'webhook_endpoints');

  const readLiving = async <Row>(
    page: Page,
    steps: OwnerSteps,
    { ofOwner }: OfOwners<Row>,
  ): Promise<RangeRows<Row>> => {
    const found = await living(primary, { page });
    const rows: Row[] = [];
    for (const { owner_id } of found)
      rows.push(...((await steps.attempt(owner_id, () => ofOwner(primary, { owner: { owner_id } }))) ?? []));
    return { rows, next: found.length < page.limit ? null : (found.at(-1)?.owner_id ?? null) };
  };

  return async <Row>(page: Page, steps: OwnerSteps, query: OfOwners<Row>): Promise<RangeRows<Row>> => {
    const { after, limit } = page;
    const read = (size: number): Promise<RangeRows<Row>> =>
      primary.transaction(async (transaction) => {
        await planAgain(transaction, {});
        const [range] = await owners(transaction, { page: { after, limit: size } });
        if (typeof range?.until !== 'string') return { rows: [], next: null };
        const { until, count } = range;
        const rows = await query.ofRange(transaction, { range: { after, until } });
        return { rows, next: count < size ? null : until };
      });
    for (let size = limit; size > 1; size = Math.ceil(size / 2)) {
      try {
        return await read(size);
      } catch (cause) {
        if (isNodeFault(cause)) {
          steps.leaveOutNode(cause);
          return await readLiving(page, steps, query);
        }
        if (!isOwnersFault(cause)) throw cause;
      }
    }
    const [first] = await owners(primary, { page: { after, limit: 1 } });
    if (typeof first?.until !== 'string') return { rows: [], next: null };
    return (await steps.attempt(first.until, () => read(1))) ?? { rows: [], next: first.until };
  };
}
