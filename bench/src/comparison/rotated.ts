/** The same, beginning with another one each time, so that nobody is always the first. */
export function rotated<T>(all: readonly T[], by: number): readonly T[] {
  const from = by % all.length;
  return [...all.slice(from), ...all.slice(0, from)];
}
