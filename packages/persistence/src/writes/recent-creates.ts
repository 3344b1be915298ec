import type { Owner } from '@orders/domain';
import type { WriteValues } from './write-functions.ts';

/** How long a create is kept, in milliseconds, and at most twice as long: an erasure may have erased it since. */
const KEPT_MS = 10_000;

/** Maximum length of the values of all creates that are kept. Beyond it the oldest is evicted. */
const LENGTH_MAX = 4 * 1024 * 1024;

interface Create {
  readonly values: WriteValues;
  readonly until: number;
  readonly length: number;
}

/**
 * The values of the creates of this process, until it changes what they have created. They are texts, which no caller can
 * change, and which the garbage collector copies as they are.
 */
export class RecentCreates {
  readonly #creates = new Map<string, Create>();
  #length = 0;
  #hasTimer = false;

  add(values: WriteValues): void {
    const { id } = values;
    this.#remove(id);
    const length = lengthOf(values);
    this.#creates.set(id, { values, until: performance.now() + KEPT_MS, length });
    this.#length += length;
    for (const oldest of this.#creates.keys()) {
      if (this.#length <= LENGTH_MAX) break;
      this.#remove(oldest);
    }
    if (!this.#hasTimer) this.#expireLater();
  }

  /** Returns the values of a create, and discards it. */
  take(owner: Owner, id: string): WriteValues | undefined {
    const create = this.#creates.get(id);
    if (create?.values.owner_id !== owner) return undefined;
    this.#remove(id);
    return create.until > performance.now() ? create.values : undefined;
  }

  #remove(id: string): void {
    this.#length -= this.#creates.get(id)?.length ?? 0;
    this.#creates.delete(id);
  }

  #expireLater(): void {
    this.#hasTimer = true;
    setTimeout(() => this.#expire(), KEPT_MS).unref();
  }

  #expire(): void {
    const now = performance.now();
    for (const [id, { until }] of this.#creates) if (until <= now) this.#remove(id);
    this.#hasTimer = false;
    if (this.#creates.size > 0) this.#expireLater();
  }
}

function lengthOf(values: WriteValues): number {
  let length = 0;
  for (const name in values) {
    const value = values[name];
    length += typeof value === 'string' ? value.length : 8;
  }
  return length;
}
