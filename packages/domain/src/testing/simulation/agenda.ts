import type { AbortSignalLike } from '../../events/abort-signal.ts';

/** The functions by which a runtime runs something after all promises that can settle have settled. */
declare const setImmediate: ((run: () => void) => unknown) | undefined;
declare class MessageChannel {
  readonly port1: { onmessage: (() => void) | null };
  readonly port2: { postMessage(message: null): void };
}

/** Taken before a test replaces it by one that never runs. */
const later: (run: () => void) => unknown = typeof setImmediate === 'function' ? setImmediate : laterByMessage;

/** Browsers have no `setImmediate`, and delay timers. */
function laterByMessage(run: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = run;
  port2.postMessage(null);
}

/** Resolves after every promise that can settle without the agenda has settled. */
export function settled(): Promise<void> {
  return new Promise((resolve) => {
    later(resolve);
  });
}

interface Entry {
  readonly at: number;
  readonly run: () => unknown;
}

/** What will happen in a simulation, by the time at which it does. The time passes from one entry to the next. */
export class Agenda {
  /** Milliseconds since the start. */
  now = 0;
  /** The next entry is the last one. */
  readonly #entries: Entry[] = [];

  /**
   * Runs something after so many milliseconds. If it returns a promise, nothing else runs before that has settled. Returns a
   * function that cancels it.
   */
  after(ms: number, run: () => unknown): () => void {
    const entry = { at: this.now + ms, run };
    let low = 0;
    let high = this.#entries.length;
    // Of entries at one time, the one that was added first runs first.
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle]?.at ?? 0) > entry.at) low = middle + 1;
      else high = middle;
    }
    this.#entries.splice(low, 0, entry);
    return () => {
      const index = this.#entries.indexOf(entry);
      if (index !== -1) this.#entries.splice(index, 1);
    };
  }

  /** Runs the next entry, and what follows from it. Returns false when nothing is left. */
  async step(): Promise<boolean> {
    const next = this.#entries.pop();
    if (!next) return false;
    this.now = next.at;
    await next.run();
    await settled();
    return true;
  }

  /** Resolves after so many milliseconds, and at once when `signal` is aborted. */
  pause(ms: number, signal?: AbortSignalLike): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const finish = (): void => {
        cancel();
        signal?.removeEventListener('abort', finish);
        resolve();
      };
      const cancel = this.after(ms, finish);
      return signal?.addEventListener('abort', finish);
    });
  }
}
