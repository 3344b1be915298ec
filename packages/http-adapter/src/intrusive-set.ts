/**
 * A set whose members know their places in it, so that it needs no table of them.
 *
 * A `Set` links each table that it outgrows to the next one. V8 moves a table that is in use for a while to its old heap, where
 * garbage stays until a full collection. That table then keeps the whole chain, and with it all that a later table contained:
 * of requests, kilobytes each, which every small collection copies.
 */
export class IntrusiveSet<T extends object> {
  readonly #place = Symbol('place');
  readonly #all: T[] = [];

  get size(): number {
    return this.#all.length;
  }

  add(member: T): void {
    placed(member)[this.#place] ??= this.#all.push(member) - 1;
  }

  delete(member: T): void {
    const { [this.#place]: place } = placed(member);
    if (place === undefined) return;
    placed(member)[this.#place] = undefined;
    const last = this.#all.pop();
    if (!last || last === member) return;
    this.#all[place] = last;
    placed(last)[this.#place] = place;
  }

  /** Returns a copy, which does not change with the set. */
  list(): readonly T[] {
    return [...this.#all];
  }
}

/** Returns a member itself, which has its place in the array of each set that it is in. */
function placed(member: object): { [place: symbol]: number | undefined };
function placed(member: unknown): unknown {
  return member;
}
