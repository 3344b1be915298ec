import type { AbortSignalLike } from '../events/abort-signal.ts';
import type { Owner } from '../shared/ids.ts';
import { deepFreeze } from '../shared/frozen.ts';
import type { WebhookEndpoint } from './webhook-endpoint.ts';

/** Maximum time of one attempt, from the lookup of the address to the end of the response head, in milliseconds. */
export const ATTEMPT_TIMEOUT_MS = 15_000;

/**
 * Why an attempt failed. `target_not_allowed` is the same, after the same time, for every host whose addresses cannot be
 * found and for every address that is not public. `interrupted` is no fault of the endpoint: the worker stopped, or the
 * server could not sign or connect.
 */
export const ATTEMPT_ERRORS = deepFreeze([
  'status_not_accepted',
  'target_not_allowed',
  'connection_failed',
  'tls_failed',
  'timed_out',
  'invalid_response',
  'interrupted',
] as const);
/** Reason why an attempt failed, one of {@link ATTEMPT_ERRORS}. */
export type AttemptError = (typeof ATTEMPT_ERRORS)[number];

/** The result of one attempt. It has nothing of the response but its status and the wait that it requests. */
export interface Attempt {
  /** Status of the response; `null` without a response. */
  readonly status: number | null;
  /** `null` if the endpoint accepted the message. */
  readonly error: AttemptError | null;
  /** Rounded up to whole milliseconds; 0 for a target that is not allowed. */
  readonly duration_ms: number;
  /** The wait that the endpoint requested, in milliseconds; `null` without one. */
  readonly retryAfterMs: number | null;
}

/** A message for an endpoint. */
export interface WebhookMessage {
  /** Id of the event, the same for all attempts. */
  readonly id: string;
  /** The JSON text that is sent: `type`, `timestamp` and `data`. */
  readonly body: string;
}

/** What a sender needs of an endpoint, which does not depend on the definition of orders. */
export type SendingEndpoint = Pick<WebhookEndpoint, 'id' | 'url' | 'secrets'>;

/** Port: signs messages and sends them. */
export interface WebhookSender {
  /**
   * Sends a message, signed by every secret of the endpoint that is valid now. It ends within
   * {@link ATTEMPT_TIMEOUT_MS}, and at once when `signal` is aborted. Never rejects, never follows a redirect and keeps
   * nothing of the body of the response. The request is sent a second time if a connection that was kept turns out to be
   * closed.
   */
  send(owner: Owner, endpoint: SendingEndpoint, message: WebhookMessage, signal?: AbortSignalLike): Promise<Attempt>;
}
