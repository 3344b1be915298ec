/** A failure that the operator can correct. It ends the process with its message alone, without a stack trace. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  readonly exitCode: number;

  /**
   * `lines` holds one line for each mistake, beginning with the variable or option that it is about; none when the
   * operator needs no message. `exitCode` is that of the process, 1 by default.
   */
  constructor(lines: readonly string[], { cause, exitCode = 1 }: { cause?: unknown; exitCode?: number } = {}) {
    super(lines.map((line) => `  ${line}`).join('\n'), { cause });
    this.exitCode = exitCode;
  }

  /** The same failure as `cause`, whose message is meant for operators. */
  static of(cause: unknown): OperatorError {
    return new OperatorError([reasonOf(cause)], { cause });
  }
}

/** Returns the innermost message: a refused connection is several attempts with an empty message around them. */
export function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0) return cause.errors.map(reasonOf).join('; ');
  return cause instanceof Error ? cause.message : String(cause);
}

/** Returns why a server cannot listen, by the variables of its address; any other `cause` as it is. */
export function listenError(
  cause: unknown,
  variables: { readonly host: string; readonly port: string },
  host: string,
  port: number,
): unknown {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  switch (code) {
    case 'EADDRINUSE':
      return new OperatorError([`${variables.port}: ${port} is in use on ${host}`], { cause });
    case 'EACCES':
      return new OperatorError([`${variables.port}: ${port} may not be used by this account`], { cause });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new OperatorError([`${variables.host}: ${host} is no address of this machine`], { cause });
    default:
      return cause;
  }
}

/** Prints why the process ends, a bug with its stack trace, and sets the exit code. */
export function exitWithReason(reason: unknown): void {
  const isKnown = reason instanceof OperatorError;
  if (!isKnown) console.error(reason);
  else if (reason.message !== '') console.error(`orders cannot go on:\n${reason.message}`);
  process.exitCode = isKnown ? reason.exitCode : 1;
}
