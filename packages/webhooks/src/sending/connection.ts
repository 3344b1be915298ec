import { Agent, type ClientRequest, type IncomingMessage, request as send } from 'node:http';
import type { Duplex } from 'node:stream';
import type { SecureContext } from 'node:tls';
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
  readonly #host: string;
  readonly #agent: Agent;
  readonly #events: ConnectionEvents;
  readonly #closing = new AbortController();
  #bound: BoundedSocket | undefined;
  #requests = 0;
  #request: ClientRequest | undefined;
  #idleMs = IDLE_TIMEOUT_MS;
  #idle: NodeJS.Timeout | undefined;

  constructor(target: Target, settings: ConnectionSettings, events: ConnectionEvents) {
    this.origin = target.url.origin;
    this.#events = events;
    this.#host = target.url.host;
    this.#agent = new OneSocket((callback) => void this.#connect(target, settings, callback));
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
    clearTimeout(this.#idle);
    const { promise, resolve, reject } = Promise.withResolvers<ResponseHead>();
    const fail = (cause?: unknown) => {
      reject(this.#bound?.isExceeded ? new AttemptFailure('invalid_response') : requestFailure(cause));
      this.destroy();
    };
    try {
      this.#request = send({
        agent: this.#agent,
        method: 'POST',
        path,
        headers: { ...headers, host: this.#host, 'content-length': body.length },
        maxHeaderSize: RESPONSE_HEADER_BYTES_MAX,
      })
        // Informational responses are discarded (RFC 9110 section 15.2), but for a change of protocol, which ends HTTP.
        .on('upgrade', () => fail(new AttemptFailure('invalid_response')))
        .on('error', fail)
        .on('response', (response) => {
          const { statusCode: status = 0, headers: received } = response;
          if (status < 200) return fail(new AttemptFailure('invalid_response'));
          resolve({ status, headers: { 'retry-after': received['retry-after'], date: received.date } });
          this.#idleMs = idleTimeOf(received['keep-alive']);
          this.#events.responded(this);
          this.#discard(response);
        });
      this.#request.end(body);
    } catch (cause) {
      fail(cause);
    }
    return await promise;
  }

  /** Closes the connection at once, also while it looks up a name or connects. */
  destroy(): void {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    clearTimeout(this.#idle);
    this.#request?.destroy();
    this.#agent.destroy();
    this.#events.closed(this);
  }

  /** Reads the body of a response without keeping it. The connection is free once it has ended. */
  #discard(response: IncomingMessage): void {
    let left = DISCARDED_BYTES_MAX;
    const late = setTimeout(() => this.destroy(), DISCARD_TIMEOUT_MS);
    response
      .on('data', (chunk: Buffer) => {
        left -= chunk.length;
        if (left < 0) this.destroy();
      })
      // A response that is cut: its head counts.
      .on('error', () => this.destroy())
      .on('close', () => clearTimeout(late));
  }

  async #connect(target: Target, settings: ConnectionSettings, callback: Connected): Promise<void> {
    const { signal } = this.#closing;
    try {
      const addresses = await checkedAddresses(target, settings, signal);
      const { stream, bound } = await openSocket(target.url, addresses, settings.secureContext, signal);
      this.#bound = bound;
      bound.allow(RESPONSE_BYTES_MAX);
      callback(
        null,
        stream.on('free', () => this.#free(bound)).on('close', () => this.destroy()),
      );
    } catch (cause) {
      callback(cause instanceof Error ? cause : new Error('no connection', { cause }));
    }
  }

  #free(bound: BoundedSocket): void {
    if (this.#closing.signal.aborted) return;
    // What arrives now is the response to no request.
    bound.allow(0);
    this.#idle = setTimeout(() => this.destroy(), this.#idleMs);
    this.#events.freed(this);
  }
}

type Connected = (cause: Error | null, stream?: Duplex) => void;

/** Keeps the socket of one connection, which may be no TCP socket. */
class OneSocket extends Agent {
  readonly #connect: (callback: Connected) => void;

  constructor(connect: (callback: Connected) => void) {
    super({ keepAlive: true, maxSockets: 1 });
    this.#connect = connect;
  }

  override createConnection(_: object, callback: Connected): undefined {
    this.#connect(callback);
  }

  override keepSocketAlive(): boolean {
    return true;
  }
}

/** Returns the time for which a receiver keeps an idle connection, less a second for what is under way, in milliseconds. */
function idleTimeOf(header: Header): number {
  const [, seconds] = /timeout=(\d+)/i.exec(String(header)) ?? [];
  return Math.min(IDLE_TIMEOUT_MS, Math.max(0, Number(seconds ?? Infinity) * 1000 - 1000));
}

/** Returns the failure of a request on an open connection. */
function requestFailure(cause: unknown): AttemptFailure {
  if (cause instanceof AttemptFailure) return cause;
  const isInvalid = cause instanceof Error && 'code' in cause && String(cause.code).startsWith('HPE_');
  return new AttemptFailure(isInvalid ? 'invalid_response' : 'connection_failed', { cause });
}
