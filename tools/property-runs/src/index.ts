import { inject } from 'vitest';

interface PropertyRuns {
  readonly seed: number;
  readonly numRuns: number;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Present in a soak test, see tools/soak.mjs. */
    propertyRuns?: PropertyRuns;
  }
}

/** Returns the parameters of `fc.assert`: always the same runs, so that no run of the suite depends on luck. */
export function propertyRuns(numRuns: number): PropertyRuns {
  return inject('propertyRuns') ?? { seed: 20_260_102, numRuns };
}
