import type {
  CancelOrderError,
  Definition,
  GetOrderError,
  IterationError,
  PlaceOrderError,
  RedeliverError,
} from '@orders/client';
import type { Result } from 'neverthrow';
import { OperatorError } from '../../operator-error.ts';

/** The errors of all requests that commands send. */
export type RequestError =
  | IterationError
  | GetOrderError
  | PlaceOrderError
  | CancelOrderError<Definition>
  | RedeliverError;

/**
 * Returns the value of a request.
 *
 * @throws {OperatorError} the request failed
 */
export function valueOf<T>(result: Result<T, RequestError>): T {
  return result.match(
    (value) => value,
    (error) => {
      throw new OperatorError(linesOf(error));
    },
  );
}

/** Returns an error as lines for people. A write whose outcome is unknown says how to repeat it safely. */
export function linesOf(error: RequestError): readonly string[] {
  const { type, detail } = error;
  const [first, ...fields] = [
    `${type}: ${detail ?? explanationOf(error)}`,
    ...('errors' in error
      ? error.errors.map(({ field, message }) => `${field === '' ? 'input' : field}: ${message}`)
      : []),
  ];
  if (!('outcome' in error)) return [first, ...fields];
  const { idempotencyKey: key } = error;
  return [first, `it is unknown whether it took effect; run the same command with --key ${key} until it succeeds`];
}

function explanationOf(error: RequestError): string {
  if (error.type === 'unreachable')
    return `no usable response (${error.reason}${error.status === null ? '' : `, status ${error.status}`})`;
  if (error.type === 'unexpected_response')
    return `status ${error.status}${error.code === null ? '' : `, code ${error.code}`}`;
  return 'the server gave no reason';
}
