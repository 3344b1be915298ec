import type { Clock, Owner } from '@orders/domain';
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
import { HTTPS_PORT, parseTarget, type Target } from '../targets/webhook-targets.ts';
import { AttemptFailure } from './attempt-failure.ts';
import type { Connection, ResponseHead } from './connection.ts';
import type { Connections } from './connections.ts';
import { dnsLookup, type Lookup } from './dns-lookup.ts';
import { retryAfterOf } from './retry-after.ts';

/** The `user-agent` of all requests. */
export const WEBHOOK_USER_AGENT = 'orders-webhooks';
/** Default of the maximum number of connections that a sender has open. */
export const CONNECTIONS_MAX_DEFAULT = 512;

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
  /** Receives the reason why a message could not be signed. It has no secret and no key. Default: no-op. */
  readonly warn?: ((message: string, cause: unknown) => void) | undefined;
}

/** A sender with connections that are kept for the next message. */
export interface ClosableWebhookSender extends WebhookSender {
  /** Closes all connections at once. Attempts in progress fail, and later ones are `interrupted`. */
  close(): void;
}

/** What tests replace: the source of addresses, and the port of public targets. */
export interface SenderSeams {
  readonly lookup?: Lookup | undefined;
  readonly lookupTimeoutMs?: number | undefined;
  readonly httpsPort?: number | undefined;
}

/**
 * Sends messages by HTTP/1.1. A target must have public addresses alone; see {@link AddressRules}. The addresses are
 * checked with every connection, and no others are connected to. A connection has further requests for at most 30 seconds.
 * When the receiver closes it at the moment of such a request, the request is sent on a new connection, within the same
 * attempt.
 *
 * @throws {Error} a rule is not an address or a CIDR block
 */
export function webhookSender(options: WebhookSenderOptions): ClosableWebhookSender {
  return createWebhookSender(options);
}

/** Creates a {@link webhookSender} with other seams. */
export function createWebhookSender(
  { secrets, clock, rules, timeoutMs = ATTEMPT_TIMEOUT_MS, connectionsMax, warn }: WebhookSenderOptions,
  { lookup = dnsLookup(), lookupTimeoutMs, httpsPort = HTTPS_PORT }: SenderSeams = {},
): ClosableWebhookSender {
  const policy = addressPolicy(rules);
  const source = { policy, lookup, lookupTimeoutMs };
  const max = connectionsMax ?? CONNECTIONS_MAX_DEFAULT;
  let connections: Connections | undefined;
  let isClosed = false;

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

  return {
    async send(owner, endpoint, message, signal) {
      // Imported with the first message: the HTTP client takes time to load, and many servers send nothing.
      const { Connections: OpenConnections } = await import('./connections.ts');
      if (isClosed || signal?.aborted === true) return failed('interrupted', 0);
      connections ??= new OpenConnections(source, max);
      const target = parseTarget(endpoint.url, policy, httpsPort);
      if (target.isErr()) return failed('target_not_allowed', 0);
      const headers = headersFor(owner, endpoint, message);
      if (!headers) return failed('interrupted', 0);
      const request = { target: target.value, headers, body: message.body };
      const startedAt = performance.now();
      const outcome = await exchange(connections, request, timeoutMs, signal);
      const duration = Math.ceil(performance.now() - startedAt);
      if (outcome instanceof AttemptFailure) return failed(outcome.reason, duration);
      return {
        status: outcome.status,
        error: outcome.status < 300 ? null : 'status_not_accepted',
        duration_ms: duration,
        retryAfterMs: retryAfterOf(outcome.headers, clock.now()),
      };
    },

    close: () => {
      isClosed = true;
      connections?.close();
    },
  };
}

function failed(error: AttemptError, durationMs: number): Attempt {
  // The time of a forbidden target would say something about it.
  const duration = error === 'target_not_allowed' ? 0 : durationMs;
  return { status: null, error, duration_ms: duration, retryAfterMs: null };
}

interface Request {
  readonly target: Target;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends a request, and closes its connection when the time is over or the signal is aborted. */
async function exchange(
  connections: Connections,
  { target, headers, body }: Request,
  timeoutMs: number,
  signal: Parameters<WebhookSender['send']>[3],
): Promise<ResponseHead | AttemptFailure> {
  const { promise, resolve } = Promise.withResolvers<ResponseHead | AttemptFailure>();
  let connection: Connection | undefined;
  let isStopped = false;
  const stop = (reason: AttemptError) => {
    isStopped = true;
    connection?.destroy();
    resolve(new AttemptFailure(reason));
  };
  const interrupt = () => stop('interrupted');
  const post = async (opened: Connection | undefined): Promise<ResponseHead | AttemptFailure> => {
    if (!opened) return new AttemptFailure('interrupted');
    connection = opened;
    try {
      return await opened.post(`${target.url.pathname}${target.url.search}`, headers, body);
    } catch (cause) {
      const failure = cause instanceof AttemptFailure ? cause : new AttemptFailure('connection_failed', { cause });
      const isStale = opened.isReused && failure.reason === 'connection_failed';
      return isStale && !isStopped ? await post(connections.open(target)) : failure;
    }
  };
  const timer = setTimeout(() => stop('timed_out'), timeoutMs);
  signal?.addEventListener('abort', interrupt);
  void post(connections.take(target)).then(resolve);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', interrupt);
  }
}
