/** Returns a value as the type that the OpenAPI document, or the domain, promises for it. */
export function trusted<T>(value: unknown): T;
export function trusted(value: unknown): unknown {
  return value;
}
