/** A time as the domain writes it: RFC 3339 in UTC with milliseconds, of a day that exists. */
function isTimestamp(text: string): boolean {
  const time = /^(?!0000)\d{4}-/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString() === text;
}

/** Members whose own members have any names. */
const FREE_MEMBERS = ['metadata', 'custom'];

/**
 * Throws for what the ports reject as a bug: text with U+0000 or a lone surrogate, and times in another form. Metadata and
 * custom data have members of any name.
 */
export function assertStorable(value: unknown, name = '', isFree = false): void {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed()) throw new TypeError('text with U+0000 or a lone surrogate');
    if (!isFree && name.endsWith('_at') && !isTimestamp(value)) throw new TypeError(`${name} is not a timestamp`);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      assertStorable(key);
      assertStorable(member, key, isFree || FREE_MEMBERS.includes(key));
    }
  }
}
