import { describe, expect, it } from 'vitest';
import { pause } from '../../src/postgres/abortable.ts';

describe('a pause', () => {
  it.each(['before it starts', 'while it runs'])(
    'rejects with the reason of a signal that is aborted %s',
    async (when) => {
      const stop = new AbortController();
      const reason = new Error('shutdown requested');
      if (when === 'before it') stop.abort(reason);
      const paused = pause(60 * 60 * 1000, stop.signal);
      stop.abort(reason);
      await expect(paused).rejects.toBe(reason);
    },
  );
});
