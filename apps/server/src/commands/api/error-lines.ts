import type {
  CancelOrderError,
  Definition,
  GetOrderError,
  IterationError,
  PlaceOrderError,
  RedeliverError,
} from '@orders/client';
import type { Result } from 'neverthrow';

/** The server that commands call. */
export interface Server {
  readonly url: string;
  /** Where its address comes from. */
  readonly setting: string;
  /** Why the latest connection failed, if one did. */
  readonly failure: () => string | undefined;
}

/** The errors of all requests that commands send. */
export type RequestError =
  | IterationError
  | GetOrderError
  | PlaceOrderError
  | CancelOrderError<Definition>
  | RedeliverError;

/** A request that failed, with its error; one within an iteration is the client's `RequestFailed`. */
export class FailedRequest extends Error {
  readonly error: RequestError;

  constructor(error: RequestError) {
    super(error.type);
    this.error = error;
  }
}

/**
 * Returns the value of a request.
 *
 * @throws {FailedRequest} the request failed
 */
export function valueOf<T>(result: Result<T, RequestError>): T {
  return result.match(
    (value) => value,
    (error) => {
      throw new FailedRequest(error);
    },
  );
}

/**
 * Returns an error as lines for people. One without a response names the `server`, where its address comes from, and the cause.
 * A write whose outcome is unknown says how to repeat it safely.
 */
export function linesOf(error: RequestError, server: Server): readonly string[] {
  const { type, detail } = error;
  const [first, ...fields] = [
    `${type}: ${detail ?? explanationOf(error, server)}`,
    ...('errors' in error
      ? error.errors.map(({ field, message }) => `${field === '' ? 'input' : field}: ${message}`)
      : []),
  ];
  if (!('outcome' in error)) return [first, ...fields];
  const { idempotencyKey: key } = error;
  return [first, `it is unknown whether it took effect; run the same command with --key ${key} until it succeeds`];
}

function explanationOf(error: RequestError, { url, setting, failure }: Server): string {
  if (error.type === 'unreachable') {
    const reason = error.status === null ? (failure() ?? error.reason) : `${error.reason}, status ${error.status}`;
    return `no usable response from ${url}, which is ${setting} (${reason})`;
  }
  if (error.type === 'unexpected_response')
    return `status ${error.status}${error.code === null ? '' : `, code ${error.code}`}`;
  return 'the server gave no reason';
}
