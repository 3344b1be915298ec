import { type OrderDefinition, STATUS_REQUIRED } from '@orders/domain';
import { isDeepStrictEqual } from 'node:util';
import { clientChanges } from './client-changes.ts';
import type { CustomChange, DefinitionPlan, Differences } from './definition-plan.ts';
import { stepsOf } from './plan-steps.ts';

/**
 * Compares two definitions of the orders of one database. Guards are functions, whose conditions it cannot compare: they
 * are taken for guards that allow everything, but the codes of their refusals are compared.
 */
export function planDefinition(old: OrderDefinition, next: OrderDefinition): DefinitionPlan {
  const entered = enteredByEither(old, next);
  const unreadable = [
    ...lacks(old, entered).map((status) => ({ status, lacking: 'old' as const })),
    ...lacks(next, entered).map((status) => ({ status, lacking: 'new' as const })),
  ];
  const facts = {
    unreadable,
    stranded: findStranded(old, next),
    added: differences(next, old),
    removed: differences(old, next),
    custom: changeOfCustom(old, next),
    lookups: changedLookups(old, next),
  };
  return {
    rolling: unreadable.length === 0 ? 'safe' : 'unsafe',
    ...facts,
    clients: clientChanges(old, next, facts),
    steps: stepsOf(old, next, facts),
  };
}

/**
 * Returns the statuses that orders can enter while servers with either definition change them. One that requires several is
 * taken for possible once each of these is, though perhaps no order can enter all of them.
 */
function enteredByEither(...definitions: readonly OrderDefinition[]): ReadonlySet<string> {
  const entered = new Set(definitions.map(({ initial }) => initial));
  const canEnter = ({ initial, requires }: OrderDefinition, status: string) =>
    requiredBy(requires, status).every((each) => each === initial || entered.has(each));
  const next = () =>
    definitions.flatMap((definition) =>
      [...entered].flatMap((status) => targetsOf(definition, status).filter((target) => canEnter(definition, target))),
    );
  // A status may be possible only once another one is.
  for (let before = 0; before < entered.size;) {
    before = entered.size;
    for (const status of next()) entered.add(status);
  }
  return entered;
}

function targetsOf({ lifecycle }: OrderDefinition, status: string): readonly string[] {
  return Object.hasOwn(lifecycle, status) ? (lifecycle[status] ?? []) : [];
}

function requiredBy(requires: OrderDefinition['requires'], status: string): readonly string[] {
  return Object.hasOwn(requires, status) ? (requires[status] ?? []) : [];
}

/** Checks whether no order enters a status. */
function isClosed({ initial, requires }: OrderDefinition, status: string): boolean {
  return status !== initial && requiredBy(requires, status).includes(status);
}

function lacks({ lifecycle }: OrderDefinition, statuses: Iterable<string>): readonly string[] {
  return [...statuses].filter((status) => !Object.hasOwn(lifecycle, status));
}

function findStranded(old: OrderDefinition, next: OrderDefinition): DefinitionPlan['stranded'] {
  const removed = lacks(next, old.statuses);
  const ended = (definition: OrderDefinition) => {
    const statuses = definition.statuses.filter((status) => definition.lifecycle[status]?.length === 0);
    const ending = new Set(statuses);
    for (let before = 0; before < ending.size;) {
      before = ending.size;
      for (const status of definition.statuses)
        if (targetsOf(definition, status).some((target) => ending.has(target) && !isClosed(definition, target)))
          ending.add(status);
    }
    return ending;
  };
  const [endedBefore, endsNow] = [ended(old), ended(next)];
  const stuck = old.statuses.filter(
    (status) => !removed.includes(status) && endedBefore.has(status) && !endsNow.has(status),
  );
  return [
    ...removed.map((status) => ({ status, reason: 'removed' as const })),
    ...stuck.map((status) => ({ status, reason: 'no_terminal_status' as const })),
  ];
}

/** Returns what `one` has and `other` lacks. */
function differences(one: OrderDefinition, other: OrderDefinition): Differences {
  const transitions = one.statuses.flatMap((from) =>
    (one.lifecycle[from] ?? [])
      .filter((to) => Object.hasOwn(other.lifecycle, from) && Object.hasOwn(other.lifecycle, to))
      .filter((to) => !other.lifecycle[from]?.includes(to))
      .map((to) => `${from} -> ${to}`),
  );
  return {
    statuses: lacks(other, one.statuses),
    transitions,
    events: one.eventTypes.filter((type) => !other.eventTypes.includes(type)),
    refusals: refusalsOf(one, other),
  };
}

function refusalsOf(one: OrderDefinition, other: OrderDefinition): readonly string[] {
  const required = Object.entries(one.requires).flatMap(([status, statuses]) =>
    statuses
      .filter((each) => each !== one.initial && !requiredBy(other.requires, status).includes(each))
      .map((each) => (each === status ? `no order becomes ${status}` : `${status} requires ${each}`)),
  );
  const coded = Object.entries(one.refusals)
    .filter(([code]) => code !== STATUS_REQUIRED && !Object.hasOwn(other.refusals, code))
    .map(([code, sentence]) => `${code}: ${sentence}`);
  return [...required, ...coded];
}

/** Functions are the same if their text is: what they call is not compared. */
function changedLookups({ lookups: before }: OrderDefinition, { lookups: after }: OrderDefinition): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => String(before[name]) !== String(after[name]));
}

function changeOfCustom({ custom: before }: OrderDefinition, { custom: after }: OrderDefinition): CustomChange {
  if (!after) return before ? 'removed' : 'none';
  if (!before) return after.required === true ? 'added_required' : 'added';
  const isRequired = after.required === true && before.required !== true;
  if (isDeepStrictEqual(before.schema, after.schema)) return isRequired ? 'required' : 'none';
  return isRequired ? 'schema_required' : 'schema';
}
