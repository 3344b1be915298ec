import { isNodeFault } from './postgres-errors.ts';
import { NoConnection } from './unreachable-database.ts';

/** Maximum number of waiting statements per connection of the pool. */
const WAITING_PER_CONNECTION = 100;

/** The current connections and waiting statements of one owner. */
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
 * An owner gets a connection while twice its number of connections is less than the number of free ones. One owner
 * alone thus gets a third of them, rounded up; each further owner at first gets a third of the rest. As connections are
 * returned, the owners converge to equal shares: two get a quarter each, three a fifth, and twice a share stays free
 * for the next owners. Further statements wait in a queue per owner. A returned connection goes to the owner with the
 * fewest connections, and among equals to the one that was served longest ago.
 *
 * Bounds: a statement waits for at most `waitMs`. The queues together hold 100 statements per connection; when they are
 * full, the longest queue drops its newest statement. An owner without statements takes no memory.
 */
export class OwnerShares {
  readonly #shares = new Map<string, Share>();
  /** The shares with waiting statements, in the order in which their owners were last served. */
  readonly #queues = new Set<Share>();
  readonly #waitMs: number;
  readonly #waitingMax: number;
  readonly #explain: () => string;
  #free: number;
  #waiting = 0;
  #isServing = false;
  /** Whether the timer runs. One timer serves all waiting statements, because most are served long before it fires. */
  #hasTimer = false;

  /** `explain` returns what to add to the error of a statement that waited too long. Default: nothing. */
  constructor(connectionsMax: number, waitMs: number, explain: () => string = () => '') {
    this.#free = connectionsMax;
    this.#waitMs = waitMs;
    this.#explain = explain;
    this.#waitingMax = connectionsMax * WAITING_PER_CONNECTION;
  }

  /** The number of waiting statements. */
  get waiting(): number {
    return this.#waiting;
  }

  /** The number of owners that hold a connection or wait for one. */
  get owners(): number {
    return this.#shares.size;
  }

  /** Takes a connection from the owner's share; `undefined` when the owner has to wait. */
  take(owner: string): Share | undefined {
    let share = this.#shares.get(owner);
    if ((share?.held ?? 0) >= this.#free / 2) return undefined;
    share ??= this.#add(owner);
    share.held += 1;
    this.#free -= 1;
    return share;
  }

  /**
   * Calls `begin` when the owner has a connection, or `reject` when that takes too long or too many statements wait.
   */
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
  release(share: Share): void {
    share.held -= 1;
    this.#free += 1;
    if (this.#waiting > 0 && !this.#isServing) this.#serve();
    this.#deleteIfIdle(share);
  }

  #add(owner: string): Share {
    const share = { owner, held: 0, waiting: [] };
    this.#shares.set(owner, share);
    return share;
  }

  #deleteIfIdle(share: Share): void {
    if (share.held === 0 && share.waiting.length === 0) this.#shares.delete(share.owner);
  }

  /**
   * Makes room for a statement behind `length` others of its owner, and returns whether there is any. A longer queue
   * drops its newest statement.
   */
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

  /** Rejects the statements that have waited too long, and sets the timer for the next deadline. */
  #expire(): void {
    const now = performance.now();
    let earliest = Infinity;
    for (const share of this.#queues) {
      for (let first = share.waiting[0]; first && first.deadline <= now; first = share.waiting[0]) {
        this.#shift(share);
        first.reject(new NoConnection(`no connection within ${this.#waitMs} ms${this.#explain()}`));
      }
      earliest = Math.min(earliest, share.waiting[0]?.deadline ?? Infinity);
      this.#deleteIfIdle(share);
    }
    this.#hasTimer = false;
    // A timer may fire slightly early.
    if (earliest < Infinity) this.#expireIn(Math.max(1, Math.ceil(earliest - now)));
  }

  #expireIn(ms: number): void {
    this.#hasTimer = true;
    setTimeout(() => this.#expire(), ms).unref();
  }

  /** Removes the first statement from a queue. */
  #shift(share: Share): Waiter | undefined {
    const waiter = share.waiting.shift();
    this.#waiting -= 1;
    if (share.waiting.length === 0) this.#queues.delete(share);
    return waiter;
  }

  #serve(): void {
    // A connection may be returned while its statement begins, for instance by a closing pool. This loop then passes it
    // on: nested calls would exhaust the stack.
    this.#isServing = true;
    for (let share = this.#next(); share; share = this.#next()) {
      const waiter = this.#shift(share);
      // Moves the share to the end, behind the owners that have not been served since.
      if (this.#queues.size > 1 && this.#queues.delete(share)) this.#queues.add(share);
      share.held += 1;
      this.#free -= 1;
      waiter?.begin(share);
    }
    this.#isServing = false;
  }

  /** Returns the share to serve next, or `undefined` when no owner may have a connection. */
  #next(): Share | undefined {
    let next: Share | undefined;
    for (const share of this.#queues) {
      if (share.held < (next?.held ?? this.#free / 2)) next = share;
      if (next?.held === 0) break;
    }
    return next;
  }
}

/** The share of all owners whose node is down. No owner has this name. */
const NODE_DOWN = '\0';

/** Maximum number of owners of nodes that are down. Beyond it, all are discarded. */
const OWNERS_MAX = 10_000;

/**
 * The owners whose last statement failed because a node of Citus was down. Their statements last until the coordinator
 * gives the node up, so that they use the connections of one owner together until one succeeds.
 */
export class FailingOwners {
  readonly #owners = new Set<string>();

  /** Returns the owner by whose share a statement gets its connection. */
  shareOf(owner: string): string {
    return this.#owners.has(owner) ? NODE_DOWN : owner;
  }

  /** Records the result of a statement: the cause of its failure, or `null`. */
  record(owner: string, cause: unknown): void {
    if (cause === null) {
      this.#owners.delete(owner);
      return;
    }
    // A statement without an owner may include all nodes.
    if (owner === '' || !isNodeFault(cause)) return;
    if (this.#owners.size >= OWNERS_MAX) this.#owners.clear();
    this.#owners.add(owner);
  }

  /** Records the result of a transaction, and returns it. */
  async recordOf<T>(owner: string, transaction: Promise<T>): Promise<T> {
    try {
      const result = await transaction;
      this.record(owner, null);
      return result;
    } catch (cause) {
      this.record(owner, cause);
      throw cause;
    }
  }
}
