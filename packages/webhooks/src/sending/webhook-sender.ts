import type { Clock, Owner } from '@orders/domain';
import { systemTimer } from '@orders/domain/events';
import {
  type Attempt,
  ATTEMPT_TIMEOUT_MS,
  type AttemptError,
  type SendingEndpoint,
  type WebhookMessage,
  type WebhookSecrets,
  type WebhookSender,
} from '@orders/domain/webhooks';
import { signMessage } from '../secrets/sign-message.ts';
import { addressPolicy, type AddressRules } from '../targets/address-rules.ts';
import { HTTPS_PORT, parseTarget } from '../targets/webhook-targets.ts';
import { NOT_ALLOWED_AFTER_MS } from './checked-addresses.ts';
import type { Lookup } from './dns-lookup.ts';
import { localTransport } from './local-transport.ts';
import { retryAfterOf } from './retry-after.ts';
import { type ThreadSeams, threadTransport } from './thread-transport.ts';
import type { Transport, TransportOptions } from './transport.ts';

/** The `user-agent` of all requests. */
export const WEBHOOK_USER_AGENT = 'orders-webhooks';
/** Default of the maximum number of connections that a sender has open. */
export const CONNECTIONS_MAX_DEFAULT = 512;

/** Why an attempt is interrupted that takes too long. */
const LATE = Symbol('late');

/** Options of {@link webhookSender}. */
export interface WebhookSenderOptions {
  readonly secrets: WebhookSecrets;
  /** The clock of signatures and of the validity of secrets. */
  readonly clock: Clock;
  /** The addresses that requests may reach. Default: public ones. */
  readonly rules?: AddressRules | undefined;
  /** Maximum time of one attempt, in milliseconds. Default: {@link ATTEMPT_TIMEOUT_MS}. */
  readonly timeoutMs?: number | undefined;
  /** Maximum number of open connections; an attempt above it is `interrupted`. Default: {@link CONNECTIONS_MAX_DEFAULT}. */
  readonly connectionsMax?: number | undefined;
  /**
   * Whether names are looked up and requests are sent in a thread of their own, so that no receiver delays this one. The
   * thread starts with the first message. A bundled program needs `false`, unless this package stays outside of its bundle.
   * Default: true.
   */
  readonly isolated?: boolean | undefined;
  /**
   * Receives the reason why a message could not be signed, or why the thread ended. It has no secret and no key. Default:
   * no-op.
   */
  readonly warn?: ((message: string, cause: unknown) => void) | undefined;
}

/** A sender with connections that are kept for the next message. */
export interface ClosableWebhookSender extends WebhookSender {
  /** Closes all connections at once, and ends the thread. Attempts in progress and later ones are `interrupted`. */
  close(): void;
}

/** What tests replace: names, a time, the port of public targets, and what ends or restarts the thread. */
export interface SenderSeams extends ThreadSeams, Pick<TransportOptions, 'notAllowedAfterMs'> {
  /** Not for a thread. */
  readonly lookup?: Lookup | undefined;
  readonly httpsPort?: number | undefined;
}

/**
 * Sends messages by HTTP/1.1. A target must have public addresses alone; see {@link AddressRules}. The addresses are
 * checked with every connection, and no others are connected to. A connection has further requests for at most 30 seconds.
 * When the receiver closes it at the moment of such a request, the request is sent on a new connection, within the same
 * attempt. A thread that ends is started again, after pauses of up to 5 s; its attempts are `interrupted`.
 *
 * @throws {Error} a rule is not an address or a CIDR block
 */
export function webhookSender(options: WebhookSenderOptions): ClosableWebhookSender {
  return createWebhookSender(options);
}

/** Creates a {@link webhookSender} with other seams. */
export function createWebhookSender(
  {
    secrets,
    clock,
    rules,
    timeoutMs = ATTEMPT_TIMEOUT_MS,
    connectionsMax = CONNECTIONS_MAX_DEFAULT,
    isolated = true,
    warn,
  }: WebhookSenderOptions,
  { lookup, httpsPort = HTTPS_PORT, notAllowedAfterMs, ...thread }: SenderSeams = {},
): ClosableWebhookSender {
  const policy = addressPolicy(rules);
  const options: TransportOptions = { rules, connectionsMax, notAllowedAfterMs };
  const running = new Set<AbortController>();
  let transport: Transport | undefined;
  let isClosed = false;

  const createTransport = () =>
    isolated ? threadTransport(options, { ...thread, warn }) : localTransport(options, lookup);

  const headersFor = (owner: Owner, endpoint: SendingEndpoint, message: WebhookMessage) => {
    try {
      return {
        'content-type': 'application/json',
        'user-agent': WEBHOOK_USER_AGENT,
        ...signMessage(secrets, owner, endpoint, message, clock.now()),
      };
    } catch (cause) {
      warn?.('a webhook cannot be signed', cause);
      return undefined;
    }
  };

  /** Sends a signed message, until `signal` is aborted. */
  const attempt = async (
    url: string,
    headers: Readonly<Record<string, string>>,
    text: string,
    signal: AbortSignal,
  ): Promise<Attempt> => {
    const target = parseTarget(url, policy, httpsPort);
    if (target.isErr()) {
      await systemTimer.pause(notAllowedAfterMs ?? NOT_ALLOWED_AFTER_MS, signal);
      return failed(signal.aborted ? interruptionBy(signal) : 'target_not_allowed', 0);
    }
    const post = await (transport ??= createTransport()).open(signal);
    // The thread could not be started in time: that is no fault of the endpoint.
    if (!post) return failed('interrupted', 0);
    const startedAt = performance.now();
    const request = { ...target.value, url: target.value.url.href, headers, body: new TextEncoder().encode(text) };
    const outcome = await post(request, signal);
    const duration = Math.ceil(performance.now() - startedAt);
    if ('error' in outcome) {
      return failed(outcome.error === 'interrupted' ? interruptionBy(signal) : outcome.error, duration);
    }
    return {
      status: outcome.status,
      error: outcome.status < 300 ? null : 'status_not_accepted',
      duration_ms: duration,
      retryAfterMs: retryAfterOf(outcome.headers, clock.now()),
    };
  };

  return {
    async send(owner, endpoint, message, signal) {
      if (isClosed || signal?.aborted === true) return failed('interrupted', 0);
      const headers = headersFor(owner, endpoint, message);
      if (!headers) return failed('interrupted', 0);
      const stop = new AbortController();
      const interrupt = () => stop.abort();
      const timer = setTimeout(() => stop.abort(LATE), timeoutMs);
      signal?.addEventListener('abort', interrupt);
      running.add(stop);
      const result = await attempt(endpoint.url, headers, message.body, stop.signal);
      running.delete(stop);
      clearTimeout(timer);
      signal?.removeEventListener('abort', interrupt);
      return result;
    },

    close: () => {
      isClosed = true;
      for (const stop of running) stop.abort();
      transport?.close();
    },
  };
}

function interruptionBy(signal: AbortSignal): AttemptError {
  return signal.reason === LATE ? 'timed_out' : 'interrupted';
}

function failed(error: AttemptError, durationMs: number): Attempt {
  // The time of a forbidden target would say something about it.
  const duration = error === 'target_not_allowed' ? 0 : durationMs;
  return { status: null, error, duration_ms: duration, retryAfterMs: null };
}
