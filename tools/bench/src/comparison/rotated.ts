/** Returns `all` rotated by `by` places, so that no subject is always the first one. */
export function rotated<T>(all: readonly T[], by: number): readonly T[] {
  const from = by % all.length;
  return [...all.slice(from), ...all.slice(0, from)];
}
