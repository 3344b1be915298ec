import { isTimestamp } from '../../shared/clock.ts';

/**
 * Throws for values that no store can keep as they are, which the domain never passes to its ports: text with U+0000 or
 * a lone surrogate, and a time, in a member that ends in `_at`, that is no `Timestamp`.
 */
export function assertStorable(value: unknown, name = ''): void {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed()) throw new TypeError('text with U+0000 or a lone surrogate');
    if (name.endsWith('_at') && !isTimestamp(value)) throw new TypeError(`${name} is not a timestamp`);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      assertStorable(key);
      assertStorable(member, key);
    }
  }
}
