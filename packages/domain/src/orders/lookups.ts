import { emailKey } from '../customers/customer.ts';
import { deepFreeze } from '../shared/frozen.ts';
import type { Lookup } from '../shared/list-filters.ts';
import { InvalidFields, type InvalidField } from '../shared/validation.ts';
import { OWN_LOOKUPS_MAX } from './definition/assert-definition.ts';
import type { OrderDefinition } from './definition/order-definition.ts';
import type { AnyOrder } from './order.ts';

/** Maximum length of the value of a lookup, in Unicode code points. */
export const LOOKUP_VALUE_LENGTH_MAX = 255;
/** What the names of lookups by external ids begin with, before the system. */
const EXTERNAL_PREFIX = 'external.';
/** What the names of the lookups of a definition begin with. */
export const OWN_PREFIX = 'own.';
/** Name of the lookup by the email of the buyer, whose value is the {@link emailKey}. It stands in no URL. */
export const EMAIL_LOOKUP = 'email';

/** The lookups of an order, each once, and what was left out of them. */
export interface FoundLookups {
  readonly lookups: readonly Lookup[];
  /** Why values that the definition finds in custom data are no lookups. Each has the field `custom`. */
  readonly faults: readonly InvalidField[];
}

/** The members of an order that its lookups are made of. */
export const LOOKED_UP = deepFreeze(['external_ids', 'buyer', 'custom'] as const);

type LookedUp = Pick<AnyOrder, (typeof LOOKED_UP)[number]>;

/** Returns the lookups of an order. What the definition finds wrongly is left out. */
export function lookupsOf(definition: Pick<OrderDefinition, 'lookups'>, order: LookedUp): FoundLookups {
  const external = Object.entries(order.external_ids).flatMap(([system, ids]) =>
    ids.map((id): Lookup => [`${EXTERNAL_PREFIX}${system}`, id]),
  );
  const email = order.buyer?.email ?? null;
  const own = ownLookups(definition, order.custom ?? null);
  const lookups = [...external, ...(email === null ? [] : [[EMAIL_LOOKUP, emailKey(email)] as const]), ...own.lookups];
  return { lookups, faults: own.faults };
}

/** Returns the lookups of an order after a change of {@link LOOKED_UP}; `null` if it changes none. */
export function changedLookups(
  definition: Pick<OrderDefinition, 'lookups'>,
  before: LookedUp,
  after: LookedUp,
): FoundLookups | null {
  const found = lookupsOf(definition, after);
  const known = new Set(lookupsOf(definition, before).lookups.map(keyOf));
  const isSame = known.size === found.lookups.length && found.lookups.every((lookup) => known.has(keyOf(lookup)));
  return isSame ? null : found;
}

const NONE: FoundLookups = deepFreeze({ lookups: [], faults: [] });

/** Returns the lookups that a definition finds in custom data. `null` has none. */
export function ownLookups({ lookups: declared }: Pick<OrderDefinition, 'lookups'>, custom: unknown): FoundLookups {
  const names = Object.keys(declared);
  if (custom === null || names.length === 0) return NONE;
  const invalid = new InvalidFields();
  const found = new Map<string, Lookup>();
  for (const name of names)
    for (const value of valuesOf(declared, name, custom, invalid)) {
      const lookup: Lookup = [`${OWN_PREFIX}${name}`, value];
      found.set(keyOf(lookup), lookup);
    }
  const all = [...found.values()];
  if (all.length > OWN_LOOKUPS_MAX)
    invalid.add('custom', 'too_long', `must have at most ${OWN_LOOKUPS_MAX} values that orders are found by`);
  const faults = invalid.toResult(null).match(
    () => [],
    ({ errors }) => errors,
  );
  return { lookups: all.slice(0, OWN_LOOKUPS_MAX), faults };
}

/** Returns the valid values of one lookup, and adds what is wrong with the others. */
function valuesOf(
  declared: OrderDefinition['lookups'],
  name: string,
  custom: unknown,
  invalid: InvalidFields,
): readonly string[] {
  const add = (message: string) => invalid.add('custom', 'invalid_value', `${message} of the lookup ${name}`);
  let found: unknown;
  try {
    found = Reflect.apply(declared[name] ?? none, undefined, [custom]);
  } catch {
    // What it threw may have a value of the order.
    add('must not fail the function');
    return [];
  }
  const values: readonly unknown[] = Array.isArray(found) ? found : found === null ? [] : [found];
  return values.flatMap((value) => {
    if (value === '') return [];
    const read = new InvalidFields();
    const text = read.readText(value, 'custom', 1, LOOKUP_VALUE_LENGTH_MAX);
    if (text !== undefined) return [text];
    add(`must have a text of at most ${LOOKUP_VALUE_LENGTH_MAX} characters as a value`);
    return [];
  });
}

function none(): null {
  return null;
}

function keyOf(lookup: Lookup): string {
  return JSON.stringify(lookup);
}
