/** Where the key of a write is kept in this tab. */
const nameOf = (write: string) => `sent ${write}`;

/**
 * Returns the idempotency key of a write: the same one for as long as its content is the same, also when its dialog was closed or
 * the page loaded again after no response came. So it takes effect once, and what is shown once can be shown.
 */
export function writeKey(write: string, ...content: readonly unknown[]): string {
  const text = JSON.stringify(content);
  const kept = sessionStorage.getItem(nameOf(write)) ?? '';
  if (kept.slice(KEY_LENGTH) === text) return kept.slice(0, KEY_LENGTH);
  const key = crypto.randomUUID();
  sessionStorage.setItem(nameOf(write), `${key}${text}`);
  return key;
}
const KEY_LENGTH = 36;

/** Discards the key of a write that is done, so that the same one again is another one. */
export function endWrite(write: string): void {
  sessionStorage.removeItem(nameOf(write));
}
