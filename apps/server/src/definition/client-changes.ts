import type { OrderDefinition } from '@orders/domain';
import type { CustomChange, DefinitionPlan } from './definition-plan.ts';

type Facts = Pick<DefinitionPlan, 'added' | 'removed' | 'custom' | 'lookups'>;

/** Returns what clients notice of a change of the definition, a sentence each. */
export function clientChanges(
  old: OrderDefinition,
  next: OrderDefinition,
  { added, removed, custom, lookups }: Facts,
): readonly string[] {
  const times = ({ statuses }: Facts['added'], { initial }: OrderDefinition) =>
    statuses.filter((status) => status !== initial).map((status) => `${status}_at`);
  return [
    ...removed.statuses.map((status) => `A change to ${status} is 422, and a list of orders in ${status} is 400.`),
    ...sentence('Orders no longer have', times(removed, old)),
    ...removed.transitions.map((transition) => `The change ${transition} is 409.`),
    ...sentence('Events that no longer occur, and 400 as a filter of events:', removed.events),
    ...sentence('Orders can have further statuses:', added.statuses),
    ...sentence('Orders have further members:', times(added, next)),
    ...sentence('There are further events:', added.events),
    ...(old.initial === next.initial ? [] : [`New orders begin as ${next.initial} instead of ${old.initial}.`]),
    ...(old.cancel === next.cancel
      ? []
      : [
          `A cancelled order is ${next.cancel} instead of ${old.cancel}; those in ${old.cancel} count as not cancelled.`,
        ]),
    ...endingOnce(added.refusals.map((refusal) => `A write can be refused with 409: ${refusal}.`)),
    ...endingOnce(removed.refusals.map((refusal) => `No write is refused any more for this: ${refusal}.`)),
    ...CUSTOM[custom],
    ...sentence(
      'A list of orders is 400 by',
      lookups.filter((name) => !Object.hasOwn(next.lookups, name)).map((name) => `own.${name}`),
    ),
  ];
}

const SCHEMA = 'Values of custom are checked by another schema, also stored ones when a change sets a part of them.';
const REQUIRED = 'A new order without custom is 422, and so is a change that removes it.';

const CUSTOM: Readonly<Record<CustomChange, readonly string[]>> = {
  none: [],
  added: ['Orders have the member custom, which is null for those before.'],
  added_required: ['Orders have the member custom, which is null for those before.', REQUIRED],
  removed: ['Orders no longer have custom, and a request with it is 422.'],
  required: [REQUIRED],
  schema: [SCHEMA],
  schema_required: [SCHEMA, REQUIRED],
};

/** The sentences of refusals have their own full stops. */
function endingOnce(sentences: readonly string[]): readonly string[] {
  return sentences.map((each) => each.replace(/\.\.$/, '.'));
}

function sentence(begin: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`${begin} ${names.join(', ')}.`];
}
