import { Option } from 'commander';
import type { Arguments } from './command.ts';

/** The options that choose orders. */
export const ORDER_FILTERS = [
  new Option('--status <status,status>', 'in one of these statuses'),
  new Option('--customer <id>', 'of this customer'),
  new Option('--reference <reference>', 'with this reference'),
  new Option('--reference-prefix <text>', 'whose references begin with this text'),
  new Option('--lookup <name:value>', 'found by this, such as external.stripe:pi_1'),
  new Option('--ids <id,id>', 'with these ids'),
  new Option('--from <time>', 'created at this time, such as 2026-01-31T00:00:00+01:00, or later'),
  new Option('--before <time>', 'created before this time'),
  new Option('--updated-from <time>', 'last changed at this time or later'),
  new Option('--updated-before <time>', 'last changed before this time'),
];

/**
 * Returns the query for the orders that the options choose, sorted by creation, or by the last change if that is what they
 * are chosen by, so that a page is one search of an index. `isDescending` is newest first.
 */
export function orderQuery({ values }: Arguments, isDescending: boolean) {
  const { status, customer: customer_id, reference, lookup, ids, from, before } = values;
  const { 'reference-prefix': prefix, 'updated-from': updatedFrom, 'updated-before': updatedBefore } = values;
  const isSortedItself = (ids ?? lookup ?? prefix) !== undefined;
  const by = (updatedFrom ?? updatedBefore) === undefined ? ('created_at' as const) : ('updated_at' as const);
  return {
    status: status?.split(','),
    customer_id,
    reference,
    reference_prefix: prefix,
    lookup,
    created_at_from: from,
    created_at_before: before,
    updated_at_from: updatedFrom,
    updated_at_before: updatedBefore,
    ...(isSortedItself ? { ids: ids?.split(',') } : { sort: isDescending ? (`-${by}` as const) : by }),
  };
}
