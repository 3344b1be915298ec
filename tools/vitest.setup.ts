import { beforeEach, expect, vi } from 'vitest';

/** A wait in a test finds what hangs, in milliseconds. A shorter one measures how busy the machine is. */
const HANGS_MS = 60_000;

const WAITS = Symbol.for('waits of Vitest');

type Waits = Pick<typeof vi, 'waitFor' | 'waitUntil'> & Pick<typeof expect, 'poll'>;
type WaitOptions = Parameters<Waits['waitFor']>[1];

// Files that share a process share `vi` and `expect`, too.
const shared: typeof vi & { [WAITS]?: Waits } = vi;
const { waitFor, waitUntil, poll } = (shared[WAITS] ??= {
  waitFor: vi.waitFor,
  waitUntil: vi.waitUntil,
  poll: expect.poll,
});
vi.waitFor = (callback, options) => waitFor(callback, patient(options));
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options));
expect.poll = (callback, options) => poll(callback, { timeout: HANGS_MS, ...checked(options) });

beforeEach(({ task }) => {
  checked({ timeout: task.timeout });
});

function patient(options: WaitOptions): WaitOptions {
  return { timeout: HANGS_MS, ...checked(typeof options === 'number' ? { timeout: options } : (options ?? {})) };
}

/** Returns options of a wait, or throws an error when the wait could end on a busy machine. */
function checked<T extends { readonly timeout?: number | undefined }>(options: T | undefined): T | undefined {
  const { timeout = HANGS_MS } = options ?? {};
  if (timeout >= HANGS_MS) return options;
  throw new Error(`a time limit of ${timeout} ms depends on the speed of the machine: leave it out`);
}
