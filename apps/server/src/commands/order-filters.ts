import { orderFilters, ORDERS } from '@orders/domain';
import type { Arguments } from './command.ts';

/** What the help shows for a value: of a list with commas, `*` for the name of the option. */
const VALUES = { uuid: 'ID', uuids: 'ID,ID', text: '*', names: '*,*', prefix: 'TEXT', time: 'TIME' };

/** The option of each filter of a list of orders. */
const OPTIONS = Object.entries(orderFilters(ORDERS)).map(([name, { value }]) => {
  const option = name.replaceAll(/_id$|^created_at_|_at(?=_)/g, '').replaceAll('_', '-');
  return { name, option, text: VALUES[value].replaceAll('*', option.toUpperCase()) };
});

/** The options that choose orders. */
export const ORDER_FILTERS_USAGE = OPTIONS.map(({ option, text }) => `[--${option} ${text}]`).join(' ');

/**
 * Returns the query for the orders that the options choose, sorted by creation, or by the last change if that is what they
 * are chosen by, so that a page is one search of an index. `isDescending` is newest first.
 */
export function orderQuery({ values }: Arguments, isDescending: boolean) {
  const { ids, 'reference-prefix': prefix, 'updated-from': updatedFrom, 'updated-before': updatedBefore } = values;
  const filters = OPTIONS.map(({ name, option, text }) => {
    const value = values[option];
    return [name, text.includes(',') ? value?.split(',') : value] as const;
  });
  const isSortedItself = ids !== undefined || prefix !== undefined;
  const by = (updatedFrom ?? updatedBefore) === undefined ? ('created_at' as const) : ('updated_at' as const);
  const sort = isDescending ? (`-${by}` as const) : by;
  return { ...Object.fromEntries(filters), ...(!isSortedItself && { sort }) };
}
