import { inspect } from 'node:util';
import { oneLine, report } from './terminal.ts';

/** A failure that the operator can correct. It ends the process with its message alone, without a stack trace. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  readonly exitCode: number;

  /**
   * Creates the error. `lines` has one line per fault, which begins with the variable or option; it is empty when the
   * operator needs no message. `exitCode` is that of the process, 1 by default.
   */
  constructor(lines: readonly string[], { cause, exitCode = 1 }: { cause?: unknown; exitCode?: number } = {}) {
    super(lines.join('\n'), { cause });
    this.exitCode = exitCode;
  }

  /** Converts `cause`, whose message is intended for operators. */
  static of(cause: unknown): OperatorError {
    return new OperatorError([reasonOf(cause)], { cause });
  }
}

/**
 * Returns the innermost message. A refused connection consists of several attempts in an error with an empty message.
 */
export function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0) return cause.errors.map(reasonOf).join('; ');
  return cause instanceof Error ? cause.message : String(cause);
}

/**
 * Errors that STATEMENT_TIMEOUT_MS limits: those of PostgreSQL for a statement and between the statements of a transaction,
 * and that of the client, which has no code.
 */
const STATEMENT_LIMITS: readonly unknown[] = ['57014', '25P03', 'Query read timeout'];

/** Returns the end of a line: a setting that may be the cause, and the innermost cause, unless the message has it already. */
function causeOf(reason: OperatorError): string {
  let cause: unknown = reason;
  while (cause instanceof Error && cause.cause !== undefined) ({ cause } = cause);
  const text = reasonOf(cause).trim();
  const code = cause instanceof Error && 'code' in cause ? cause.code : text;
  return [
    ...(STATEMENT_LIMITS.includes(code) ? ['; STATEMENT_TIMEOUT_MS may be too short'] : []),
    ...(reason.message.includes(text) ? [] : [`: ${oneLine(text)}`]),
  ].join('');
}

/** Prints why the process ends, a line for each fault, or a stack trace for a bug, and sets the exit code. */
export function exitWithReason(reason: unknown): void {
  const isKnown = reason instanceof OperatorError;
  if (!isKnown) report(inspect(reason));
  else if (reason.message !== '')
    for (const line of `${reason.message}${causeOf(reason)}`.split('\n')) report(`orders: ${line}`);
  process.exitCode = isKnown ? reason.exitCode : 1;
}
