import type { IdSource } from '../shared/ids.ts';

/**
 * Creates a source of consecutive ids in the form of UUIDv7, the same in every run. Sources with different `series`
 * never return the same id.
 */
export function sequentialIds(series = 0): IdSource {
  let count = 0;
  return {
    next: () => {
      count += 1;
      const counter = count.toString(16).padStart(12, '0');
      return `019b0000-${series.toString(16).padStart(4, '0')}-7000-8000-${counter}`;
    },
  };
}
