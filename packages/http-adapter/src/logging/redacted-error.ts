import { isNativeError } from 'node:util/types';

/** The parts of an error that are logged. */
export interface RedactedError {
  /** The name of its class, or the type of a value that is not an error. */
  readonly type: string;
  readonly message: string;
  readonly stack?: string | undefined;
  /** Error code of the system, PostgreSQL or a library. */
  readonly code?: string | undefined;
  /** The constraint that failed in PostgreSQL. */
  readonly constraint?: string | undefined;
  /** The cause, up to a depth of five. */
  readonly cause?: RedactedError | undefined;
}

/** Maximum depth of causes, which may be circular. */
const DEPTH_MAX = 5;

/**
 * Returns an error without the personal data that it may quote. PostgreSQL puts whole rows into `detail`, and invalid values
 * after the colon of the message.
 */
export function redactError(error: unknown): RedactedError {
  return redactAt(0, error);
}

function redactAt(depth: number, error: unknown): RedactedError {
  // An error of another realm, as in Jest, is not an instance of Error of this realm.
  if (!isNativeError(error)) return { type: typeof error, message: 'a value that is not an error was thrown' };
  const quoted = quotation(error);
  const unquoted = (text: string) => (quoted === undefined ? text : text.replaceAll(quoted, '(redacted)'));
  return {
    type: error.name,
    message: unquoted(error.message),
    stack: error.stack === undefined ? undefined : unquoted(error.stack),
    code: textOf(error, 'code'),
    constraint: textOf(error, 'constraint'),
    cause: error.cause === undefined || depth === DEPTH_MAX ? undefined : redactAt(depth + 1, error.cause),
  };
}

/** Returns the data that a message quotes: a value that PostgreSQL rejects (SQLSTATE class 22), or invalid JSON. */
function quotation(error: Error): string | undefined {
  const data = textOf(error, 'code')?.startsWith('22') === true && textOf(error, 'code')?.length === 5;
  if (data) return /: (.+)$/s.exec(error.message)?.[1];
  return error.name === 'SyntaxError' ? /"(.+)"/s.exec(error.message)?.[1] : undefined;
}

function textOf(error: Error, name: string): string | undefined {
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' ? value : undefined;
}
