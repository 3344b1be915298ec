import { isNativeError } from 'node:util/types';

/** What the log keeps of an error. */
export interface RedactedError {
  /** The name of its class; of what is no error, the type. */
  readonly type: string;
  readonly message: string;
  readonly stack?: string | undefined;
  /** Of the system, PostgreSQL or a library. */
  readonly code?: string | undefined;
  /** The constraint of PostgreSQL's that failed. */
  readonly constraint?: string | undefined;
  /** What caused it, five causes deep at most. */
  readonly cause?: RedactedError | undefined;
}

/** As deep as causes are followed: a circle of them must end. */
const DEPTH_MAX = 5;

/**
 * What an error says, without what it quotes of people's data: a database puts whole rows into `detail`, and the values
 * it cannot read behind the colon of its message.
 */
export function redactError(error: unknown): RedactedError {
  return redactAt(0, error);
}

function redactAt(depth: number, error: unknown): RedactedError {
  // An error of another realm, such as those of Jest, is no instance of this realm's Error.
  if (!isNativeError(error)) return { type: typeof error, message: 'something that is no error was thrown' };
  const quoted = quotation(error);
  const unquoted = (text: string) => (quoted === undefined ? text : text.replaceAll(quoted, '(left out)'));
  return {
    type: error.name,
    message: unquoted(error.message),
    stack: error.stack === undefined ? undefined : unquoted(error.stack),
    code: textOf(error, 'code'),
    constraint: textOf(error, 'constraint'),
    cause: error.cause === undefined || depth === DEPTH_MAX ? undefined : redactAt(depth + 1, error.cause),
  };
}

/** What a message quotes: a value that PostgreSQL cannot take (SQLSTATE class 22), or text that is no JSON. */
function quotation(error: Error): string | undefined {
  const data = textOf(error, 'code')?.startsWith('22') === true && textOf(error, 'code')?.length === 5;
  if (data) return /: (.+)$/s.exec(error.message)?.[1];
  return error.name === 'SyntaxError' ? /"(.+)"/s.exec(error.message)?.[1] : undefined;
}

function textOf(error: Error, name: string): string | undefined {
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' ? value : undefined;
}
