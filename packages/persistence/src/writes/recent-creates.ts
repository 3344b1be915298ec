import type { Owner } from '@orders/domain';
import type { WriteValues } from './write-functions.ts';

/** How long a create can be used, in milliseconds: an erasure may have erased it since. */
const KEPT_MS = 10_000;

/** Number of places. An id has one by its last digits, and a create evicts the one before it. */
const PLACES = 2048;

/** Maximum length of the values of a create, so that all together have at most four million characters. */
const LENGTH_MAX = 2048;

interface Create {
  readonly values: WriteValues;
  readonly until: number;
}

/**
 * The values of the creates of this process, until it changes what they have created. They are texts, which no caller can
 * change, and which the garbage collector copies as they are. A `Map` would link each table that it outgrows to the next one,
 * and so keep all values until a full collection.
 */
export class RecentCreates {
  readonly #places = Array<Create | undefined>(PLACES).fill(undefined);

  add(values: WriteValues): void {
    if (lengthOf(values) <= LENGTH_MAX)
      this.#places[placeOf(values.id)] = { values, until: performance.now() + KEPT_MS };
  }

  /** Returns the values of a create, and discards it. */
  take(owner: Owner, id: string): WriteValues | undefined {
    const place = placeOf(id);
    const create = this.#places[place];
    if (create?.values.id !== id || create.values.owner_id !== owner) return undefined;
    this.#places[place] = undefined;
    return create.until > performance.now() ? create.values : undefined;
  }
}

function placeOf(id: string): number {
  // An id of a caller's own may have other digits.
  return Number.parseInt(id.slice(-3), 16) % PLACES || 0;
}

function lengthOf(values: WriteValues): number {
  let length = 0;
  for (const name in values) {
    const value = values[name];
    length += typeof value === 'string' ? value.length : 8;
  }
  return length;
}
