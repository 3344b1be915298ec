import { HOSTILE_BODIES, HOSTILE_FRAMES } from './hostile-bodies.ts';
import { HOSTILE_HEADERS, HOSTILE_LINES } from './hostile-heads.ts';

/** Bytes that nobody should send, for a client with `key`, and what the contract answers to them. */
export type HostileRequest = readonly [name: string, status: number, code: string, bytes: (key: string) => string];

/** By what is wrong with them. */
export const HOSTILE_REQUESTS: Readonly<Record<string, readonly HostileRequest[]>> = {
  'a request line': HOSTILE_LINES,
  headers: HOSTILE_HEADERS,
  'a frame': HOSTILE_FRAMES,
  'a body': HOSTILE_BODIES,
};
