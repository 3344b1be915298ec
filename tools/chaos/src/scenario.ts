import type { Stage } from './stage.ts';

/** A fault, and the properties that must hold despite it. */
export interface Scenario {
  readonly name: string;
  /** A short description of the fault. */
  readonly about: string;
  run(stage: Stage): Promise<void>;
}
