/** Returns a random idempotency key. `crypto.randomUUID` does not exist in pages that are not served securely. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Checks whether `key`, of any type, is a valid idempotency key: 1 to 255 visible ASCII characters. */
export function isKey(key: unknown): boolean {
  return typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key);
}

/** Checks whether `id` is a UUID. Any other id belongs to no resource, and must not become part of a path. */
export function isId(id: string): boolean {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id);
}
