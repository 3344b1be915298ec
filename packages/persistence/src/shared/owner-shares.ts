import { NoConnection } from './postgres-errors.ts';

/** The most statements that wait for a connection of a pool, for each connection it may have. */
const WAITING_PER_CONNECTION = 100;

/** What one owner has of a pool's connections at the moment. */
export interface Share {
  readonly owner: string;
  held: number;
  readonly waiting: Waiter[];
}

interface Waiter {
  readonly begin: (share: Share) => void;
  readonly reject: (cause: NoConnection) => void;
  readonly deadline: number;
}

/**
 * Divides the connections of a pool among owners, so that no owner keeps the others waiting.
 *
 * An owner gets a connection while twice what it holds is less than what is free. One owner alone thus gets a third of
 * them, rounded up, and each further one at first a third of the rest. As connections are returned the owners draw level:
 * two get a quarter each, three a fifth, and twice as many stay free for the next owners. Further statements wait in a
 * queue of their owner. A returned connection goes to the owner that holds the fewest, among equals to the one that was
 * served longest ago.
 *
 * Bounds: a statement waits for `waitMs`; the queues together hold 100 statements for each connection, and when they are
 * full, the longest loses its newest statement. An owner without statements takes no memory.
 */
export class OwnerShares {
  readonly #shares = new Map<string, Share>();
  /** The shares with statements that wait, in the order in which their owners were served last. */
  readonly #queues = new Set<Share>();
  readonly #waitMs: number;
  readonly #waitingMax: number;
  #free: number;
  #waiting = 0;
  #isServing = false;
  /** Whether a timer runs: one for all that wait, because most are served long before. */
  #hasTimer = false;

  constructor(connectionsMax: number, waitMs: number) {
    this.#free = connectionsMax;
    this.#waitMs = waitMs;
    this.#waitingMax = connectionsMax * WAITING_PER_CONNECTION;
  }

  /** The number of statements that wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /** The number of owners that hold a connection or wait for one. */
  get owners(): number {
    return this.#shares.size;
  }

  /** Takes a connection from the owner's share; `undefined` when the owner has to wait for one. */
  take(owner: string): Share | undefined {
    let share = this.#shares.get(owner);
    if ((share?.held ?? 0) >= this.#free / 2) return undefined;
    share ??= this.#add(owner);
    share.held += 1;
    this.#free -= 1;
    return share;
  }

  /** Calls `begin` once the owner has a connection, or `reject` when that takes too long or too many wait. */
  wait(owner: string, begin: (share: Share) => void, reject: (cause: NoConnection) => void): void {
    const length = this.#shares.get(owner)?.waiting.length ?? 0;
    if (!this.#makeRoom(length)) {
      reject(new NoConnection('too many statements wait for a connection'));
      return;
    }
    const share = this.#shares.get(owner) ?? this.#add(owner);
    share.waiting.push({ begin, reject, deadline: performance.now() + this.#waitMs });
    this.#waiting += 1;
    this.#queues.add(share);
    if (!this.#hasTimer) this.#expireIn(this.#waitMs);
  }

  /** Returns a connection. */
  giveBack(share: Share): void {
    share.held -= 1;
    this.#free += 1;
    if (this.#waiting > 0 && !this.#isServing) this.#serve();
    this.#forgetIfIdle(share);
  }

  #add(owner: string): Share {
    const share = { owner, held: 0, waiting: [] };
    this.#shares.set(owner, share);
    return share;
  }

  #forgetIfIdle(share: Share): void {
    if (share.held === 0 && share.waiting.length === 0) this.#shares.delete(share.owner);
  }

  /** Whether there is room for a statement behind `length` others of its owner; a longer queue gives up its newest. */
  #makeRoom(length: number): boolean {
    if (this.#waiting < this.#waitingMax) return true;
    let longest: Share | undefined;
    for (const share of this.#queues) if (share.waiting.length > (longest?.waiting.length ?? 0)) longest = share;
    if (!longest || longest.waiting.length <= length + 1) return false;
    const newest = longest.waiting.pop();
    this.#waiting -= 1;
    newest?.reject(new NoConnection('too many statements wait for a connection'));
    return true;
  }

  /** Rejects what has waited too long, and comes back for what waits longest then. */
  #expire(): void {
    const now = performance.now();
    let earliest = Infinity;
    for (const share of this.#queues) {
      for (let first = share.waiting[0]; first && first.deadline <= now; first = share.waiting[0]) {
        this.#shift(share);
        first.reject(new NoConnection(`no connection within ${this.#waitMs} ms`));
      }
      earliest = Math.min(earliest, share.waiting[0]?.deadline ?? Infinity);
      this.#forgetIfIdle(share);
    }
    this.#hasTimer = false;
    // A timer may come a little early.
    if (earliest < Infinity) this.#expireIn(Math.max(1, Math.ceil(earliest - now)));
  }

  #expireIn(ms: number): void {
    this.#hasTimer = true;
    setTimeout(() => this.#expire(), ms).unref();
  }

  /** Takes the first statement out of a queue. */
  #shift(share: Share): Waiter | undefined {
    const waiter = share.waiting.shift();
    this.#waiting -= 1;
    if (share.waiting.length === 0) this.#queues.delete(share);
    return waiter;
  }

  #serve(): void {
    // A connection that is returned while its statement begins, as from a pool that ends, is given on by this loop: one
    // call within the other would exhaust the stack.
    this.#isServing = true;
    for (let share = this.#next(); share; share = this.#next()) {
      const waiter = this.#shift(share);
      // To the end, behind the owners that have not been served since.
      if (this.#queues.size > 1 && this.#queues.delete(share)) this.#queues.add(share);
      share.held += 1;
      this.#free -= 1;
      waiter?.begin(share);
    }
    this.#isServing = false;
  }

  /** The share whose queue is served next, if a connection may go to any. */
  #next(): Share | undefined {
    let next: Share | undefined;
    for (const share of this.#queues) {
      if (share.held < (next?.held ?? this.#free / 2)) next = share;
      if (next?.held === 0) break;
    }
    return next;
  }
}
