import type { Stage } from './stage.ts';

/** A fault, and what has to hold although it happens. */
export interface Scenario {
  readonly name: string;
  /** What happens, in a few words. */
  readonly about: string;
  run(stage: Stage): Promise<void>;
}
