import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { type buildConnector, Client, type Dispatcher, errors } from 'undici';
import type { Target } from '../targets/webhook-targets.ts';
import { AttemptFailure } from './attempt-failure.ts';
import { type AddressSource, checkedAddresses } from './checked-addresses.ts';
import type { BoundedSocket } from './bounded-socket.ts';
import { openSocket } from './open-socket.ts';

/** Maximum size of the header of a response, in bytes. */
export const RESPONSE_HEADER_BYTES_MAX = 16_384;
/** Maximum size of a response body that is discarded, in bytes. A longer one closes its connection. */
export const DISCARDED_BYTES_MAX = 16_384;
/**
 * Maximum number of bytes that a receiver sends for one request: informational responses, the response and its records of
 * TLS. They are counted before they are decrypted or parsed.
 */
const RESPONSE_BYTES_MAX = RESPONSE_HEADER_BYTES_MAX + DISCARDED_BYTES_MAX;
/** Maximum time to discard a response body, in milliseconds. */
const DISCARD_TIMEOUT_MS = 1000;
/** Time for which a connection is kept without a request, in milliseconds, unless the receiver states a shorter one. */
const IDLE_TIMEOUT_MS = 4000;

type Header = string | readonly string[] | undefined;

/** What is kept of a response. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: { readonly 'retry-after': Header; readonly date: Header };
}

/** What all connections share. */
export interface ConnectionSettings extends AddressSource {
  readonly secureContext: () => SecureContext;
}

/** Receives the steps in the life of a connection. */
export interface ConnectionEvents {
  /** A response head has arrived. The body of the response remains to be discarded. */
  readonly responded: (connection: Connection) => void;
  /** The connection can have another request. */
  readonly freed: (connection: Connection) => void;
  /** The connection cannot be used any more. */
  readonly closed: (connection: Connection) => void;
}

/**
 * An HTTP/1.1 connection to the host of a target. It connects with its first request, once the addresses of the host are
 * checked, and to no other address.
 */
export class Connection {
  readonly origin: string;
  /** The time of `performance.now` when it was created. */
  readonly createdAt: number = performance.now();
  readonly #client: Client;
  readonly #events: ConnectionEvents;
  readonly #closing = new AbortController();
  #bound: BoundedSocket | undefined;
  #requests = 0;

  constructor(target: Target, settings: ConnectionSettings, events: ConnectionEvents) {
    this.origin = target.url.origin;
    this.#events = events;
    this.#client = new Client(this.origin, {
      connect: (_, callback) => void this.#connect(target, settings, callback),
      allowH2: false,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_TIMEOUT_MS,
      keepAliveMaxTimeout: IDLE_TIMEOUT_MS,
      maxHeaderSize: RESPONSE_HEADER_BYTES_MAX,
    });
    this.#client.on('disconnect', () => this.destroy());
  }

  /** Whether the current request is not its first one. The receiver may have closed the connection in the meantime. */
  get isReused(): boolean {
    return this.#requests > 1;
  }

  /**
   * Sends a request and returns the head of its response. The body is discarded.
   *
   * @throws {AttemptFailure} there is no valid response
   */
  async post(path: string, headers: Readonly<Record<string, string>>, body: Uint8Array): Promise<ResponseHead> {
    this.#requests++;
    this.#bound?.allow(RESPONSE_BYTES_MAX);
    const { promise, resolve, reject } = Promise.withResolvers<ResponseHead>();
    let discarding: NodeJS.Timeout | undefined;
    let discardedBytes = 0;
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => undefined,
      onResponseStart: (_, status, received) => {
        if (status < 200) return;
        discarding = setTimeout(() => this.destroy(), DISCARD_TIMEOUT_MS);
        resolve({ status, headers: { 'retry-after': received['retry-after'], date: received['date'] } });
        this.#events.responded(this);
      },
      onResponseData: (_, chunk) => {
        discardedBytes += chunk.length;
        if (discardedBytes > DISCARDED_BYTES_MAX) this.destroy();
      },
      onResponseEnd: () => {
        clearTimeout(discarding);
        if (!this.#closing.signal.aborted) this.#events.freed(this);
      },
      onResponseError: (_, cause) => {
        clearTimeout(discarding);
        reject(this.#bound?.isExceeded ? new AttemptFailure('invalid_response') : requestFailure(cause));
        this.destroy();
      },
    };
    this.#client.dispatch({ path, method: 'POST', headers, body }, handler);
    return await promise;
  }

  /** Closes the connection at once, also while it looks up a name or connects. */
  destroy(): void {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    void this.#client.destroy();
    this.#events.closed(this);
  }

  async #connect(target: Target, settings: ConnectionSettings, callback: buildConnector.Callback): Promise<void> {
    const { signal } = this.#closing;
    try {
      const addresses = await checkedAddresses(target, settings, signal);
      const { stream, bound } = await openSocket(target.url, addresses, settings.secureContext, signal);
      this.#bound = bound;
      bound.allow(RESPONSE_BYTES_MAX);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- undici needs no more of a socket than a stream has
      callback(null, stream as Socket);
    } catch (cause) {
      callback(cause instanceof Error ? cause : new Error('no connection', { cause }), null);
    }
  }
}

/** Returns the failure of a request on an open connection. */
function requestFailure(cause: unknown): AttemptFailure {
  if (cause instanceof AttemptFailure) return cause;
  const isInvalid =
    cause instanceof errors.HTTPParserError ||
    cause instanceof errors.HeadersOverflowError ||
    cause instanceof errors.ResponseContentLengthMismatchError ||
    // An unexpected 100 Continue or change of protocol.
    (cause instanceof errors.SocketError && cause.message.startsWith('bad '));
  return new AttemptFailure(isInvalid ? 'invalid_response' : 'connection_failed', { cause });
}
