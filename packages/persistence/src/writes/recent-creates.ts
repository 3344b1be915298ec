import type { Owner } from '@orders/domain';
import type { WriteValues } from './write-functions.ts';

/** The longest time that a create is kept, in milliseconds: an erasure may have erased it since. */
const KEPT_MS = 10_000;

/** Number of places. An id has one by its last digits, and a create evicts the one before it. */
const PLACES = 2048;

/** Maximum length of the values of a create, so that all together have at most four million characters. */
const LENGTH_MAX = 2048;

/**
 * The values of the creates of this process, until it changes what they have created. They are texts, which no caller can
 * change, and which the garbage collector copies as they are. A `Map` would link each table that it outgrows to the next one,
 * and so keep all values until a full collection.
 */
export class RecentCreates<Row> {
  readonly #json: readonly string[];
  readonly #places = Array<WriteValues | undefined>(PLACES).fill(undefined);
  #hasTimer = false;

  /** @param json the names of the columns of JSON */
  constructor(json: readonly string[]) {
    this.#json = json;
  }

  add(values: WriteValues): void {
    if (lengthOf(values) > LENGTH_MAX) return;
    this.#places[placeOf(values.id)] = values;
    if (this.#hasTimer) return;
    this.#hasTimer = true;
    setTimeout(() => this.#clear(), KEPT_MS).unref();
  }

  /** Returns the row of a create, and discards it; `null` for one that is not kept. */
  take(owner: Owner, id: string): Row | null {
    const place = placeOf(id);
    const values = this.#places[place];
    if (values?.id !== id || values.owner_id !== owner) return null;
    this.#places[place] = undefined;
    const row: { [name: string]: unknown } = { ...values };
    for (const name of this.#json) {
      const text = row[name];
      row[name] = typeof text === 'string' ? JSON.parse(text) : null;
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the values of a row are its columns
    return row as Row;
  }

  #clear(): void {
    this.#places.fill(undefined);
    this.#hasTimer = false;
  }
}

function placeOf(id: string): number {
  return Number.parseInt(id.slice(-3), 16) & (PLACES - 1);
}

function lengthOf(values: WriteValues): number {
  let length = 0;
  for (const name in values) {
    const value = values[name];
    length += typeof value === 'string' ? value.length : 8;
  }
  return length;
}
