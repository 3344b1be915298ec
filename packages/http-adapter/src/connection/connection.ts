import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { linger } from './linger.ts';
import { REST_BYTES_MAX, sendsBody } from './request-head.ts';

/** Maximum number of concurrent requests of one connection. */
const REQUESTS_UNDER_WAY_MAX = 8;
/** Maximum number of unread response bytes of a connection above which its next request waits. */
const CONNECTION_UNREAD_BYTES_MAX = 256 * 1024;
/** Maximum number of waiting requests of a connection while all connections exceed {@link WAITING_MAX}. */
const CONNECTION_WAITING_MAX = 256;
/** The number of waiting requests of all connections above which {@link CONNECTION_WAITING_MAX} applies. */
const WAITING_MAX = 16_384;

/** Safe methods (RFC 9110 section 9.2.1). */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** The callbacks and shared state of a connection. */
export interface ConnectionEvents {
  /** The number of waiting requests of all connections. */
  readonly waiting: { count: number };
  /** Passes a request to the listeners, by its response. */
  readonly process: (response: ServerResponse) => void;
  /** Requests after the last response of the connection were discarded. */
  readonly discarded: (count: number) => void;
  /** The connection was destroyed because its client does not read responses. */
  readonly cut: () => void;
}

/**
 * The requests of one connection and their responses, in order.
 *
 * Node.js parses all requests of a chunk (64 KiB) at once. Requests beyond the limits wait here, and the socket is not read
 * meanwhile. Only safe requests run concurrently (RFC 9112 section 9.3.2). A request and all later ones wait while
 *
 * - its method, or that of a running request, is unsafe, and an earlier response is not finished;
 * - {@link REQUESTS_UNDER_WAY_MAX} requests are running;
 * - the client has not read {@link CONNECTION_UNREAD_BYTES_MAX} bytes of earlier responses.
 *
 * Once a response has ended the connection, later requests are discarded, and the connection lingers. So it does when more
 * than {@link REST_BYTES_MAX} of a body follow its response.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #events: ConnectionEvents;
  /** Responses of requests that were passed on. The last one is kept until the next request, even if it is closed. */
  readonly #underWay: ServerResponse[] = [];
  readonly #waiting: ServerResponse[] = [];
  readonly #reading: ReturnType<typeof readingOf>;
  /** The oldest response at the last check, and the time until which the client must read it. */
  #oldest: ServerResponse | undefined;
  #deadline = 0;

  constructor(socket: Socket, events: ConnectionEvents) {
    this.#socket = socket;
    this.#events = events;
    this.#reading = readingOf(socket);
  }

  /** The pending responses, in order, and the last one. */
  get responses(): readonly ServerResponse[] {
    return [...this.#underWay, ...this.#waiting];
  }

  /**
   * Accepts the next request. Returns whether it is to be processed now; if not, `process` of the events receives it
   * when the limits admit it, unless the connection has ended.
   */
  accept(response: ServerResponse): boolean {
    this.#removeClosed();
    if (sendsBody(response.req)) response.once('finish', () => this.#boundRest(response));
    if (!this.#socket.writable) {
      this.#events.discarded(1);
      this.linger();
    } else if (this.#waiting.length === 0 && this.#mayRun(response)) {
      this.#underWay.push(response);
      return true;
    } else {
      if (this.#waiting.length === 0) for (const earlier of this.#underWay) this.#watch(earlier);
      this.#waiting.push(response);
      this.#events.waiting.count += 1;
      this.#reading.stop();
      // Each takes about 1.7 KB, and a chunk has up to 3,600 of them.
      if (this.#hasTooMany() && this.#events.waiting.count > WAITING_MAX) this.#cut();
    }
    return false;
  }

  /** Stops reading requests. Drops the last one if it has not arrived completely. */
  acceptNoMore(): void {
    this.#reading.stop();
    if (this.#waiting.at(-1)?.req.complete === false) this.#leaveWaiting(1, -1);
  }

  /** Ends the connection, and discards what its client still sends. */
  linger(): void {
    this.#reading.goOn();
    linger(this.#socket);
  }

  /** Destroys the connection if its client has not read the oldest response in time. Called periodically. */
  check(now: number, timeLimitMs: (bytes: number) => number): void {
    const oldest = this.#underWay.find(({ closed }) => !closed);
    // While a response is incomplete, the client waits for the server.
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

  /** Ends the remaining responses after the socket has closed, because Node.js does not do so after a CONNECT. */
  close(): void {
    this.#discardWaiting();
    for (const response of this.#underWay) if (!response.closed) response.destroy();
  }

  readonly #goOn = (): void => {
    this.#removeClosed();
    if (!this.#socket.writable) {
      this.#discardWaiting();
      this.linger();
      return;
    }
    for (let next = this.#waiting[0]; next && this.#mayRun(next); next = this.#waiting[0]) {
      this.#leaveWaiting(1);
      this.#watch(next);
      this.#underWay.push(next);
      this.#events.process(next);
    }
    if (this.#waiting.length === 0) this.#reading.goOn();
    else if (this.#hasTooMany() && this.#isUnread()) this.#cut();
  };

  /** Bounds what a client still sends after a response that precedes the end of a body. */
  #boundRest({ req }: ServerResponse): void {
    if (!this.#socket.writable && this.#underWay.some((each) => !each.req.complete)) this.linger();
    if (!this.#socket.writable || req.complete || Number(req.headers['content-length']) <= REST_BYTES_MAX) return;
    let left = REST_BYTES_MAX;
    const count = (chunk: Buffer): void => {
      left -= chunk.length;
      if (left < 0 && !req.complete) this.linger();
    };
    this.#socket.on('data', count);
    req.once('close', () => this.#socket.off('data', count));
  }

  #mayRun(response: ServerResponse): boolean {
    const underWay = this.#underWay;
    if (underWay.length === 0) return true;
    if (underWay.length >= REQUESTS_UNDER_WAY_MAX || !isSafe(response)) return false;
    return underWay.every((earlier) => isSafe(earlier) && keepsConnection(earlier)) && !this.#isUnread();
  }

  #watch(response: ServerResponse): void {
    if (!response.listeners('close').includes(this.#goOn)) response.once('close', this.#goOn);
  }

  #isUnread(): boolean {
    // The length of the first one includes the buffered bytes of the socket.
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

  #removeClosed(): void {
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

/** Whether the connection stays open after a response, as far as known before it is sent. */
function keepsConnection(response: ServerResponse): boolean {
  return response.shouldKeepAlive && response.getHeader('connection') !== 'close';
}

/**
 * Controls the reading of a socket of Node.js's HTTP server. `pause` is not sufficient, because the server resumes the
 * socket after every parsed request, and whenever a body is read or dropped.
 */
function readingOf(socket: Socket) {
  let isStopped = false;
  let resume: (() => unknown) | undefined;
  const pause = (): void => {
    if (!isStopped) return;
    // A resumption that was scheduled earlier may have begun to read although the stream counts as paused.
    if (socket.isPaused()) socket.emit('pause');
    else socket.pause();
  };
  return {
    stop: (): void => {
      if (isStopped) return;
      isStopped = true;
      if (!resume) {
        const original = (resume = socket.resume.bind(socket));
        socket.resume = () => (isStopped ? socket : original());
      }
      // After such a resumption.
      process.nextTick(pause);
    },
    goOn: (): void => {
      isStopped = false;
      resume?.();
    },
  };
}
