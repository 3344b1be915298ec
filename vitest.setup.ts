import { vi } from 'vitest';

/** A wait in a test finds what hangs, in milliseconds. The second of Vitest measures how busy the machine is. */
const HANGS_MS = 60_000;

const WAITS = Symbol.for('waits of Vitest');

type Waits = Pick<typeof vi, 'waitFor' | 'waitUntil'>;
type WaitOptions = Parameters<Waits['waitFor']>[1];

// Files that share a process share `vi`, too.
const shared: Waits & { [WAITS]?: Waits } = vi;
const { waitFor, waitUntil } = (shared[WAITS] ??= { waitFor: vi.waitFor, waitUntil: vi.waitUntil });
vi.waitFor = (callback, options) => waitFor(callback, patient(options));
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options));

function patient(options: WaitOptions): WaitOptions {
  return typeof options === 'number' ? options : { timeout: HANGS_MS, ...options };
}
