/** Converts a `timestamptz(3)` of a UTC session to RFC 3339. Accepts `2026-01-02 03:04:05.67+00`, or with a T as in JSON. */
export function timestampOf(text: string): string {
  const time = text.slice(11, text.indexOf('+'));
  return `${text.slice(0, 10)}T${time.length === 8 ? `${time}.000` : time.padEnd(12, '0')}Z`;
}
