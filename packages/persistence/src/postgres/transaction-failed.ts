/** Error: a transaction was not committed, or the response to its COMMIT was lost. */
export class TransactionFailed extends Error {
  override readonly name = 'TransactionFailed';
  readonly type = 'transaction_failed';
  /** `rolled_back`: nothing of the transaction was stored. `unknown`: everything was stored, or nothing. */
  readonly outcome: 'rolled_back' | 'unknown';
  /** Whether nothing was stored, and the whole transaction may succeed when it is run again. */
  readonly retryable: boolean;

  /** @internal */
  constructor(message: string, { outcome, retryable, cause }: FailureOptions) {
    super(message, { cause });
    this.outcome = outcome;
    this.retryable = retryable;
  }
}

interface FailureOptions extends Pick<TransactionFailed, 'outcome' | 'retryable'> {
  readonly cause: unknown;
}
