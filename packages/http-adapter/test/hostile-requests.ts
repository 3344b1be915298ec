import { HOSTILE_BODIES, HOSTILE_FRAMES } from './hostile-bodies.ts';
import { HOSTILE_HEADERS, HOSTILE_LINES } from './hostile-heads.ts';
import type { HostileRequest } from './raw-http.ts';

/** Invalid requests by their fault. */
export const HOSTILE_REQUESTS: Readonly<Record<string, readonly HostileRequest[]>> = {
  'a request line': HOSTILE_LINES,
  headers: HOSTILE_HEADERS,
  'a frame': HOSTILE_FRAMES,
  'a body': HOSTILE_BODIES,
};
