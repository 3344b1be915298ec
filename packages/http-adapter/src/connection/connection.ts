import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The most requests of one connection that are processed at a time. */
const REQUESTS_UNDER_WAY_MAX = 8;
/** No further request of a connection is processed while it has more unread response bytes than this. */
const CONNECTION_UNREAD_BYTES_MAX = 256 * 1024;
/** The parsed requests of a connection that may always wait; more only if all connections together have few. */
const CONNECTION_WAITING_MAX = 256;
/** The parsed requests of all connections that wait, above which no connection keeps more than its own share. */
const WAITING_MAX = 16_384;

/** RFC 9110 section 9.2.1. */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** How a connection calls out. */
export interface ConnectionEvents {
  /** How many requests of all connections wait. */
  readonly waiting: { count: number };
  /** Passes a request on, with its response. */
  readonly process: (response: ServerResponse) => void;
  /** Requests behind the end of the connection were discarded. */
  readonly discarded: (count: number) => void;
  /** The connection was destroyed because its client does not read. */
  readonly cut: () => void;
}

/**
 * The requests of one connection and their responses, in order.
 *
 * Node.js parses all requests of a chunk (64 KiB) at once, so the requests beyond the bounds wait here, and the socket
 * is not read meanwhile. Only safe requests run in parallel (RFC 9112 section 9.3.2). A request waits, with all
 * behind it, while
 *
 * - its method is unsafe, or that of a request under way is, until every earlier response is handed over;
 * - {@link REQUESTS_UNDER_WAY_MAX} requests are under way;
 * - the client has not read {@link CONNECTION_UNREAD_BYTES_MAX} bytes of earlier responses.
 *
 * Once a response has ended the connection, the requests behind it are discarded (RFC 9112 section 9.6).
 */
export class Connection {
  readonly #socket: Socket;
  readonly #events: ConnectionEvents;
  /** Those that were passed on; the last one stays until the next request, also when it is closed. */
  readonly #underWay: ServerResponse[] = [];
  readonly #waiting: ServerResponse[] = [];
  readonly #reading: Reading;
  /** The oldest response when the client was last checked, and when it must have been read. */
  #oldest: ServerResponse | undefined;
  #deadline = 0;

  constructor(socket: Socket, events: ConnectionEvents) {
    this.#socket = socket;
    this.#events = events;
    this.#reading = readingOf(socket);
  }

  /** Responses to come, in order, and the last one that was given. */
  get responses(): readonly ServerResponse[] {
    return [...this.#underWay, ...this.#waiting];
  }

  /** Passes the next request on, now or when it may run, unless the connection has ended. */
  accept(response: ServerResponse): void {
    this.#forgetClosed();
    if (!this.#socket.writable) {
      this.#reading.stop();
      this.#events.discarded(1);
    } else if (this.#waiting.length === 0 && this.#mayRun(response)) {
      this.#run(response);
    } else {
      if (this.#waiting.length === 0) for (const earlier of this.#underWay) this.#watch(earlier);
      this.#waiting.push(response);
      this.#events.waiting.count += 1;
      this.#reading.stop();
      // About 1.7 KB each, and a chunk has up to 3,600 of them.
      if (this.#hasTooMany() && this.#events.waiting.count > WAITING_MAX) this.#cut();
    }
  }

  /** Reads no further request. Drops the last one if it has not arrived completely. */
  acceptNoMore(): void {
    this.#reading.stop();
    if (this.#waiting.at(-1)?.req.complete === false) this.#leaveWaiting(1, -1);
  }

  /** Destroys the connection if its client has not read the oldest response in time. To be called now and then. */
  check(now: number, timeLimitMs: (bytes: number) => number): void {
    const oldest = this.#underWay.find(({ closed }) => !closed);
    // A response that is not complete is waited for by the client, not the other way round.
    if (oldest?.writableEnded !== true) {
      this.#oldest = undefined;
    } else if (oldest !== this.#oldest) {
      this.#oldest = oldest;
      this.#deadline = now + timeLimitMs(oldest.writableLength);
    } else if (now >= this.#deadline) {
      this.#cut();
    }
    if (this.#hasTooMany() && this.#isUnread()) this.#cut();
  }

  /** Ends whatever is left when the socket is closed; Node.js does not after a CONNECT. */
  close(): void {
    this.#discardWaiting();
    for (const response of this.#underWay) if (!response.closed) response.destroy();
  }

  readonly #goOn = (): void => {
    this.#forgetClosed();
    if (!this.#socket.writable) {
      this.#discardWaiting();
      return;
    }
    for (let next = this.#waiting[0]; next && this.#mayRun(next); next = this.#waiting[0]) {
      this.#leaveWaiting(1);
      this.#watch(next);
      this.#run(next);
    }
    if (this.#waiting.length === 0) this.#reading.goOn();
    else if (this.#hasTooMany() && this.#isUnread()) this.#cut();
  };

  #mayRun(response: ServerResponse): boolean {
    const underWay = this.#underWay;
    if (underWay.length === 0) return true;
    if (underWay.length >= REQUESTS_UNDER_WAY_MAX || !isSafe(response)) return false;
    return underWay.every((earlier) => isSafe(earlier) && keepsConnection(earlier)) && !this.#isUnread();
  }

  #run(response: ServerResponse): void {
    this.#underWay.push(response);
    this.#events.process(response);
  }

  #watch(response: ServerResponse): void {
    if (!response.listeners('close').includes(this.#goOn)) response.once('close', this.#goOn);
  }

  #isUnread(): boolean {
    // The first one counts the bytes that its socket has, too.
    const bytes = this.#underWay.reduce((sum, { writableLength }) => sum + writableLength, 0);
    return bytes > CONNECTION_UNREAD_BYTES_MAX;
  }

  #hasTooMany(): boolean {
    return this.#waiting.length > CONNECTION_WAITING_MAX;
  }

  #cut(): void {
    if (this.#socket.destroyed) return;
    this.#events.cut();
    this.#socket.destroy();
  }

  #discardWaiting(): void {
    const count = this.#waiting.length;
    this.#leaveWaiting(count);
    if (count > 0) this.#events.discarded(count);
  }

  #leaveWaiting(count: number, from = 0): void {
    this.#waiting.splice(from, count);
    this.#events.waiting.count -= count;
  }

  #forgetClosed(): void {
    const underWay = this.#underWay;
    let kept = 0;
    for (const response of underWay) {
      if (!response.closed || !response.req.complete) underWay[kept++] = response;
    }
    underWay.length = kept;
  }
}

function isSafe({ req }: ServerResponse): boolean {
  return SAFE.has(req.method ?? '');
}

/** Whether a request may follow, as far as that is known before the response is sent. */
function keepsConnection(response: ServerResponse): boolean {
  return response.shouldKeepAlive && response.getHeader('connection') !== 'close';
}

/** The reading of a socket. */
interface Reading {
  stop(): void;
  goOn(): void;
}

/**
 * Stops the reading of a socket of Node.js's HTTP server. `pause` alone does not, because the server resumes the socket
 * behind every request that it has parsed, and whenever a body is read or dropped.
 */
function readingOf(socket: Socket): Reading {
  let isStopped = false;
  let resume: (() => unknown) | undefined;
  const pause = (): void => {
    if (!isStopped) return;
    // A resumption that was scheduled before may have begun to read although the stream counts as paused.
    if (socket.isPaused()) socket.emit('pause');
    else socket.pause();
  };
  return {
    stop: () => {
      if (isStopped) return;
      isStopped = true;
      if (!resume) {
        const original = (resume = socket.resume.bind(socket));
        socket.resume = () => (isStopped ? socket : original());
      }
      // Behind such a resumption.
      process.nextTick(pause);
    },
    goOn: () => {
      isStopped = false;
      resume?.();
    },
  };
}
