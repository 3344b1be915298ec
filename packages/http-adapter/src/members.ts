const PLACE = Symbol('place among the members');

type Member<T> = T & { [PLACE]?: number | undefined };

/**
 * A set whose members come and go, each of them an object that is in no other one.
 *
 * A `Set` links each table that it outgrows to the next one. V8 moves a table that is in use for a while to its old heap, where
 * garbage stays until a full collection. That table then keeps the whole chain, and with it all that a later table contained:
 * of requests, kilobytes each, which every small collection copies.
 */
export class Members<T extends object> {
  readonly #all: Member<T>[] = [];

  get size(): number {
    return this.#all.length;
  }

  add(member: Member<T>): void {
    member[PLACE] ??= this.#all.push(member) - 1;
  }

  delete(member: Member<T>): void {
    const place = member[PLACE];
    if (place === undefined || this.#all[place] !== member) return;
    member[PLACE] = undefined;
    const last = this.#all.pop();
    if (!last || last === member) return;
    this.#all[place] = last;
    last[PLACE] = place;
  }

  /** Returns a copy, which does not change with the set. */
  list(): readonly T[] {
    return [...this.#all];
  }
}
