/** Returns the smallest value that a share `q` of `values` does not exceed: of two middle values, the lower one. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(sorted.length * q) - 1)] ?? Number.NaN;
}
