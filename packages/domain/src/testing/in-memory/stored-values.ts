import { isTimestamp } from '../../shared/clock.ts';

/** Members of an order or customer whose own members have any names. */
const FREE_MEMBERS = ['metadata', 'custom'];

/**
 * Throws for values that no store can represent, and that the domain never passes to its ports. These are text with
 * U+0000 or a lone surrogate, and a member with a name in `_at` that is not a `Timestamp`. Metadata and custom data have
 * any members.
 */
export function assertStorable(value: unknown, name = '', isFree = false): void {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed())
      throw new TypeError('text must not contain U+0000 or a lone surrogate');
    if (!isFree && name.endsWith('_at') && !isTimestamp(value)) throw new TypeError(`${name} is not a timestamp`);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      assertStorable(key);
      assertStorable(member, key, isFree || FREE_MEMBERS.includes(key));
    }
  }
}

/**
 * Returns a deep copy of a JSON value. It replaces `structuredClone`, whose copies belong to the realm of the runtime:
 * under Jest, their prototypes differ from those of the objects that tests create.
 */
export function copy<T>(value: T): T;
export function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((element: unknown) => copy(element));
  if (typeof value !== 'object' || value === null) return value;
  // Object.fromEntries defines properties, whereas an assignment to `__proto__` would set the prototype.
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copy(member)]));
}
