import type { Arguments } from './command.ts';

/** The options that choose orders. */
export const ORDER_FILTERS_USAGE =
  '[--status STATUS,STATUS] [--customer ID] [--reference REFERENCE] [--reference-prefix TEXT] [--ids ID,ID] [--from TIME] [--before TIME] [--updated-from TIME] [--updated-before TIME]';

/**
 * Returns the query for the orders that the options choose, sorted by creation, or by the last change if that is what they
 * are chosen by, so that a page is one search of an index. `isDescending` is newest first.
 */
export function orderQuery({ values }: Arguments, isDescending: boolean) {
  const { status, customer: customer_id, reference, ids, from, before } = values;
  const { 'reference-prefix': prefix, 'updated-from': updatedFrom, 'updated-before': updatedBefore } = values;
  const isSortedItself = ids !== undefined || prefix !== undefined;
  const by = (updatedFrom ?? updatedBefore) === undefined ? ('created_at' as const) : ('updated_at' as const);
  return {
    status: status?.split(','),
    customer_id,
    reference,
    reference_prefix: prefix,
    created_at_from: from,
    created_at_before: before,
    updated_at_from: updatedFrom,
    updated_at_before: updatedBefore,
    ...(isSortedItself ? { ids: ids?.split(',') } : { sort: isDescending ? (`-${by}` as const) : by }),
  };
}
