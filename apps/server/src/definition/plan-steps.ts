import type { OrderDefinition } from '@orders/domain';
import type { DefinitionPlan } from './definition-plan.ts';

type Facts = Pick<DefinitionPlan, 'added' | 'removed' | 'stranded' | 'unreadable' | 'custom' | 'lookups'>;

const ONE_BY_ONE = 'one server after another';

/** Returns the steps from one definition to the other on a live system, a sentence each, in order. */
export function stepsOf(
  { initial, lifecycle }: OrderDefinition,
  next: OrderDefinition,
  { added, removed, stranded, unreadable, custom, lookups }: Facts,
): readonly string[] {
  if (!Object.hasOwn(next.lifecycle, initial) && !Object.hasOwn(lifecycle, next.initial))
    return ['Use another database: NEW is for other orders, and no server starts with it on this one.'];
  const before = [
    ...stranded.flatMap(({ status, reason }) =>
      reason === 'no_terminal_status'
        ? [`Move orders that must end out of ${status}, or let NEW lead on from it.`]
        : [],
    ),
    ...(custom === 'required' || custom === 'schema_required' ? ['Let clients send custom with every new order.'] : []),
    ...(custom === 'schema' || custom === 'schema_required'
      ? ['Change the custom data of open orders that NEW does not accept, or let it accept them.']
      : []),
  ];
  const move = `Move each order in ${removed.statuses.join(', ')} to another status: no server starts with NEW before.`;
  const moving = removed.statuses.length > 0 ? [move] : [];
  // Clients cannot send what servers with OLD reject, so that it is required later.
  const [first, required] =
    custom === 'added_required'
      ? ['NEW without custom_required', ['Let clients send custom with every new order.', `Deploy NEW, ${ONE_BY_ONE}.`]]
      : ['NEW', []];
  const later = [...required, ...(lookups.length > 0 ? [rebuilding(lookups)] : [])];
  if (unreadable.length === 0) return [...before, ...moving, `Deploy ${first}, ${ONE_BY_ONE}.`, ...later];
  // New orders enter the initial status, whatever it requires.
  const isInitialNew = added.statuses.includes(next.initial);
  if (isInitialNew || removed.statuses.includes(initial))
    return [
      ...before,
      ...(isInitialNew ? [] : ['Let clients place no orders.']),
      ...moving,
      `Stop all servers with OLD, then start those with ${first}.`,
      ...later,
    ];
  const closing = (name: string, statuses: readonly string[], reason: string) =>
    statuses.length === 0
      ? []
      : [`Deploy ${name} but with ${requiring(statuses)} in its requires, ${ONE_BY_ONE}: ${reason}.`];
  return [
    ...before,
    ...closing('OLD', removed.statuses, 'no order becomes these any more'),
    ...moving,
    ...closing(first, added.statuses, 'all servers then have them, and no order becomes them yet'),
    `Deploy ${first}, ${ONE_BY_ONE}.`,
    ...later,
  ];
}

function rebuilding(lookups: readonly string[]): string {
  const names = lookups.map((name) => `own.${name}`).join(', ');
  return `Once all servers have NEW, run "orders lookups rebuild" with it: until then not all orders are found by ${names}.`;
}

/** Returns the members of `requires` of statuses that no order enters. */
function requiring(statuses: readonly string[]): string {
  return statuses.map((status) => `"${status}": ["${status}"]`).join(', ');
}
