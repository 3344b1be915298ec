/** Returns a value as the type that the OpenAPI document, or the domain, promises for it. */
export function uncheckedCast<T>(value: unknown): T;
export function uncheckedCast(value: unknown): unknown {
  return value;
}
