import type { ParameterTexts, Prepared } from './prepared-query.ts';

/** Executes statements: a pool, on any of its connections, or a transaction. */
export interface Executor {
  readonly isTransaction: boolean;
  execute<Row>(statement: Prepared, values: ParameterTexts): Promise<readonly Row[]>;
}

/** Executes scripts too. */
export interface ScriptExecutor extends Executor {
  /** Runs statements without parameters and discards their rows. */
  run(script: string): Promise<void>;
}
