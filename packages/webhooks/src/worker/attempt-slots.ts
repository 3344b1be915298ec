import type { Owner } from '@orders/domain';

/** An owner gets at most this part of the slots that are free. */
const OWNER_SHARE = 1 / 16;

/** Time for which an owner counts as one that is served too, in milliseconds. */
const BESIDE_MS = 1000;

/**
 * The attempts that a worker makes at a time, shared by owners. An owner gets at most a sixteenth of the slots that are free.
 * Slow owners therefore never take all: after 20 of them have taken what they can, a quarter of the slots is free.
 */
export class AttemptSlots {
  readonly #max: number;
  readonly #ownerMax: number;
  readonly #taken = new Map<Owner, number>();
  #total = 0;

  constructor(max: number, ownerMax: number) {
    this.#max = max;
    this.#ownerMax = ownerMax;
  }

  /** Number of slots that are taken. */
  get taken(): number {
    return this.#total;
  }

  /** Whether an owner without attempts gets a slot. */
  get hasFree(): boolean {
    return this.#total < this.#max;
  }

  /** Returns how many more slots an owner may take now. */
  freeFor(owner: Owner): number {
    const free = this.#max - this.#total;
    return Math.max(0, Math.min(free, this.#ownerMax, Math.ceil(free * OWNER_SHARE)) - (this.#taken.get(owner) ?? 0));
  }

  take(owner: Owner, count: number): void {
    this.#total += count;
    this.#taken.set(owner, (this.#taken.get(owner) ?? 0) + count);
  }

  release(owner: Owner, count: number): void {
    this.#total -= count;
    const left = (this.#taken.get(owner) ?? 0) - count;
    if (left > 0) this.#taken.set(owner, left);
    else this.#taken.delete(owner);
  }
}

/**
 * The pace of an owner beside others. An owner with many due deliveries would otherwise take all of the processor and of the
 * database, in which the deliveries of others would wait. Without others it has no limit.
 */
export class OwnerPace {
  readonly #gapMs: number;
  /** The owner that was served last, and the last one before that was another. */
  #last: { readonly owner: Owner; readonly at: number } | null = null;
  #before: { readonly owner: Owner; readonly at: number } | null = null;

  constructor(perSecond: number) {
    this.#gapMs = 1000 / perSecond;
  }

  /** Notes that an owner has claimed deliveries. Returns the time between the beginnings of their attempts, in milliseconds. */
  gapAfter(owner: Owner, now: number): number {
    if (this.#last?.owner !== owner) this.#before = this.#last;
    this.#last = { owner, at: now };
    return this.#before !== null && now - this.#before.at < BESIDE_MS ? this.#gapMs : 0;
  }
}
