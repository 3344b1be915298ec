import type { Owner } from '@orders/domain';

/** An owner gets at most this part of the slots that are free. */
const OWNER_SHARE = 1 / 16;

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
