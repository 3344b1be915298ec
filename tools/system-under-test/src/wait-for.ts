import { setTimeout as sleep } from 'node:timers/promises';

const EVERY_MS = 20;

/**
 * Returns the first value of `look` other than `undefined`.
 *
 * @throws {Error} no value within `limitMs`; the message contains `what`
 */
export async function waitFor<T>(
  what: string,
  limitMs: number,
  look: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  for (const deadline = performance.now() + limitMs; performance.now() < deadline; await sleep(EVERY_MS)) {
    const found = await look();
    if (found !== undefined) return found;
  }
  throw new Error(`waited for ${what} for ${limitMs} ms`);
}
