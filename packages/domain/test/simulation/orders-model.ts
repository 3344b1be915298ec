import type { OrderDefinition } from '@orders/domain';

/** The members of an order, a customer or an input. */
export type Fields = Readonly<Record<string, unknown>>;

/** A command that a client sends, perhaps more than once. */
export interface Command {
  readonly owner: string;
  readonly kind: 'order' | 'customer';
  readonly action: 'create' | 'change' | 'delete';
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
  | { readonly error: string };

/** Decides about a command as the specification does. `id` and `at` are those of a new aggregate and of the change. */
export function decide(
  definition: OrderDefinition,
  command: Command,
  before: Fields | null,
  { id, at }: { readonly id: string; readonly at: string },
): Decision {
  const { kind, action, input, ifVersion } = command;
  if (action === 'create') {
    const type = kind === 'order' ? 'order.placed' : 'customer.created';
    const members = kind === 'order' ? newOrder(definition, input) : { name: null, metadata: {}, ...input };
    return { type, after: { ...members, id, version: 1, created_at: at, updated_at: at }, changed: [] };
  }
  if (!before) return { error: `${kind}_not_found` };
  if (ifVersion !== null && before['version'] !== ifVersion) return { error: 'version_mismatch' };
  if (action === 'delete') return { type: `${kind}.deleted`, after: null, changed: [] };
  const error = kind === 'order' ? rejection(definition, input, before) : null;
  if (error !== null) return { error };
  const { metadata = {}, custom = {}, ...others } = input;
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

function newOrder({ initial, custom, noTimes }: OrderDefinition, input: Fields): Fields {
  const items = listOf(input['items']).map((item) => {
    const price = fieldsOf(item['unit_price']);
    return { ...item, total: { ...price, amount: Number(item['quantity']) * Number(price['amount']) } };
  });
  const total = items.reduce((sum, item) => sum + item.total.amount, 0);
  return {
    status: initial,
    customer_id: null,
    reference: null,
    note: null,
    metadata: {},
    cancel_reason: null,
    ...(custom && { custom: null }),
    ...input,
    items,
    total: { ...items[0]?.total, amount: total },
    ...noTimes,
  };
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
