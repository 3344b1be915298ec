import type { ParameterTexts, Prepared } from './prepared-query.ts';

/** What runs statements: a pool, each of them on any connection, or a transaction. */
export interface Executor {
  readonly isTransaction: boolean;
  execute<Row>(statement: Prepared, values: ParameterTexts): Promise<readonly Row[]>;
  /** Runs statements without values, and leaves their rows. */
  run(script: string): Promise<void>;
}
