import type { OrderDefinition } from '@orders/domain';
import { HELD_ORDERS } from './held-orders.ts';

/** The members of an order, a customer or an input. */
export type Fields = Readonly<Record<string, unknown>>;

/** A command that a client sends, perhaps more than once. */
export interface Command {
  readonly owner: string;
  readonly kind: 'order' | 'customer';
  /** Of the commands on items, only `add`: what the others do to quantities and amounts is no matter of time. */
  readonly action: 'create' | 'change' | 'add' | 'correct' | 'delete';
  /** `null` for a creation. */
  readonly id: string | null;
  readonly input: Fields;
  readonly key: string | null;
  readonly ifVersion: number | null;
  /** The actor of its events, so that each event shows which command made it. */
  readonly actor: string;
}

/** What a command makes of an aggregate: the type of its event, `null` for none. Or the type of the error. */
export type Decision =
  | { readonly type: string | null; readonly after: Fields | null; readonly changed: readonly string[] }
  | { readonly error: string; readonly code?: string };

/** Decides about a command as the specification does. `id` and `at` are those of a new aggregate and of the change. */
export function decide(
  definition: OrderDefinition,
  command: Command,
  before: Fields | null,
  made: { readonly id: string; readonly at: string },
): Decision {
  const decision = decideUnguarded(definition, command, before, made);
  const isGuarded = definition === HELD_ORDERS && command.kind === 'order' && command.action !== 'correct';
  if (!isGuarded || !('type' in decision) || decision.type === null || !before) return decision;
  const { after } = decision;
  if (after?.['status'] === 'cancelled' && after['paid_at'] === null)
    return { error: 'refused', code: 'status_required' };
  const isHeld = before['note'] === 'note 1' && (!after || after['note'] === 'note 1');
  return isHeld ? { error: 'refused', code: 'held' } : decision;
}

function decideUnguarded(
  definition: OrderDefinition,
  command: Command,
  before: Fields | null,
  { id, at }: { readonly id: string; readonly at: string },
): Decision {
  const { kind, action, input, ifVersion } = command;
  if (action === 'create') {
    const type = kind === 'order' ? 'order.placed' : 'customer.created';
    const members = kind === 'order' ? newOrder(definition, input) : { name: null, metadata: {}, ...input };
    const erasure = kind === 'customer' && { erased_at: null, erasure: null };
    const after = { ...members, id, version: 1, created_at: at, updated_at: at, ...erasure };
    return { type, after, changed: [] };
  }
  if (!before) return { error: `${kind}_not_found` };
  if (ifVersion !== null && before['version'] !== ifVersion) return { error: 'precondition_failed' };
  if (action === 'delete') return { type: `${kind}.deleted`, after: null, changed: [] };
  if (action === 'add') return decideAboutItems(definition, input, before, at);
  if (action === 'correct') return decideCorrection(definition, String(input['status']), before, at);
  const error = kind === 'order' ? rejection(definition, input, before) : null;
  if (error !== null) return { error };
  const { metadata = {}, custom = {}, ...others } = { ...input, ...mergedFields(before, input) };
  if (lacksCountry(others)) return { error: 'validation_failed' };
  const status = kind === 'order' ? (others['status'] ?? before['status']) : undefined;
  const isEntered = status !== before['status'];
  const time = isEntered && status !== definition.initial ? [`${String(status)}_at`] : [];
  const after = {
    ...before,
    // A reason belongs to a cancelled order.
    ...(isEntered && { cancel_reason: null }),
    ...others,
    metadata: merge(before['metadata'], metadata) ?? {},
    ...('custom' in before && { custom: 'custom' in input ? merge(before['custom'], custom) : before['custom'] }),
    ...Object.fromEntries(time.map((name) => [name, at])),
  };
  const changed = Object.keys(after).filter((name) => !isSame(Reflect.get(after, name), before[name]));
  if (changed.length === 0) return { type: null, after: before, changed };
  return {
    type: isEntered && time.length > 0 ? `order.${String(status)}` : `${kind}.changed`,
    after: { ...after, version: Number(before['version']) + 1, updated_at: at },
    changed: [...new Set([...changed, ...time])],
  };
}

/** Whatever the lifecycle says: the time of the new status, and those of statuses that lead there, but for that which is left. */
function decideCorrection(definition: OrderDefinition, status: string, before: Fields, at: string): Decision {
  if (status === before['status']) return { type: null, after: before, changed: [] };
  const sources = new Set([status]);
  for (const target of sources)
    for (const [from, targets] of Object.entries(definition.lifecycle)) if (targets.includes(target)) sources.add(from);
  sources.delete(String(before['status']));
  const times = Object.keys(definition.noTimes).map((name): readonly [string, unknown] => {
    const each = name.slice(0, -'_at'.length);
    return [name, each === status ? at : sources.has(each) ? before[name] : null];
  });
  const after: Fields = { ...before, status, cancel_reason: null, ...Object.fromEntries(times), corrected_at: at };
  const changed = Object.keys(after).filter((name) => !isSame(after[name], before[name]));
  return {
    type: 'order.corrected',
    after: { ...after, version: Number(before['version']) + 1, updated_at: at },
    changed,
  };
}

function newOrder({ initial, custom, noTimes }: OrderDefinition, input: Fields): Fields {
  const items = newItems(input);
  const total = items.reduce((sum, item) => sum + item.total.amount, 0);
  return {
    status: initial,
    customer_id: null,
    reference: null,
    external_ids: {},
    buyer: null,
    shipping_address: null,
    billing_address: null,
    note: null,
    metadata: {},
    cancel_reason: null,
    ...(custom && { custom: null }),
    ...input,
    ...mergedFields({}, input),
    items,
    adjustments: [],
    fulfillments: [],
    subtotal: { ...items[0]?.total, amount: total },
    total: { ...items[0]?.total, amount: total },
    ...noTimes,
    corrected_at: null,
    erased_at: null,
  };
}

function newItems(input: Fields) {
  return listOf(input['items']).map((item) => {
    const price = fieldsOf(item['unit_price']);
    return {
      metadata: {},
      ...item,
      fulfilled_quantity: 0,
      cancelled_quantity: 0,
      returned_quantity: 0,
      total: { ...price, amount: Number(item['quantity']) * Number(price['amount']) },
    };
  });
}

/** Decides about further items of an order. */
function decideAboutItems({ initial, cancel }: OrderDefinition, input: Fields, before: Fields, at: string): Decision {
  if (before['status'] === cancel && cancel !== initial) return { error: 'order_not_modifiable' };
  const items = [...listOf(before['items']), ...newItems(input)];
  const amount = items.reduce((sum, item) => sum + Number(fieldsOf(item.total)['amount']), 0);
  const total = { ...fieldsOf(before['total']), amount };
  const version = Number(before['version']) + 1;
  return {
    type: 'order.items_added',
    after: { ...before, items, subtotal: total, total, version, updated_at: at },
    changed: ['items', 'subtotal', 'total'],
  };
}

/** Returns an order as the model has it: without the ids of its items. */
export function withoutIds(order: Fields): Fields {
  return { ...order, items: listOf(order['items']).map((item) => ({ ...item, id: undefined })) };
}

/** Returns the type of the error of a change that an order does not allow in its status. */
function rejection({ lifecycle, initial, cancel }: OrderDefinition, input: Fields, before: Fields): string | null {
  const [from, to = from] = [before['status'], input['status']];
  if (from === cancel && input['status'] === cancel) return 'order_already_cancelled';
  if (to !== from && !lifecycle[String(from)]?.includes(String(to))) return 'invalid_status_transition';
  const isFixed = from === cancel && cancel !== initial;
  const isChanged = (name: string) => name in input && input[name] !== before[name];
  return isFixed && ['customer_id', 'reference'].some(isChanged) ? 'order_not_modifiable' : null;
}

const ADDRESS = 'name company line1 line2 city region postal_code country phone'.split(' ');

/** The fields that a patch merges, with the members that each has, if it has all of them. */
const MERGED = {
  external_ids: null,
  buyer: 'name company email phone tax_id'.split(' '),
  shipping_address: ADDRESS,
  billing_address: ADDRESS,
};

/** Returns the fields of a patch that are merged. */
function mergedFields(before: Fields, input: Fields): Fields {
  const merged = Object.entries(MERGED).map(([name, members]): [string, unknown] => {
    const after = merge(before[name], input[name]);
    if (members) return [name, after && Object.fromEntries(members.map((member) => [member, after[member] ?? null]))];
    return [name, Object.fromEntries(Object.entries(after ?? {}).filter(([, ids]) => !isSame(ids, [])))];
  });
  return Object.fromEntries(merged.filter(([name]) => name in input));
}

function lacksCountry(after: Fields): boolean {
  return [after['shipping_address'], after['billing_address']].some(
    (address) => isFields(address) && address['country'] === null,
  );
}

/** A merge patch (RFC 7396) of values that are no objects themselves. */
function merge(before: unknown, patch: unknown): Fields | null {
  if (patch === null) return null;
  const entries = Object.entries({ ...fieldsOf(before), ...fieldsOf(patch) });
  return Object.fromEntries(entries.filter(([, value]) => value !== null));
}

/** Returns whether two JSON values are equal, in any order of their members. */
export function isSame(left: unknown, right: unknown): boolean {
  return left === right || canonical(left) === canonical(right);
}

/** Returns the JSON text of a value with its members in order. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    isFields(member) ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1))) : member,
  );
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}
