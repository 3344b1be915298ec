import type { FeedWaitOptions } from '../../events/event-feed.ts';
import { systemTimer } from '../../events/timer.ts';
import { Abort } from '../../events/abort.ts';
import * as assert from '../assertions.ts';
import type { Cases } from '../contract-subject.ts';
import type { FeedBench } from './subject.ts';

const PATIENCE_MS = 10_000;

/** A timeout that no test reaches. */
const LONG_MS = 600_000;

/** Returns what `waiting` resolves to. Fails the test unless it does so in time. */
export async function endsInTime<T>(
  { subject: { patienceMs = PATIENCE_MS } }: FeedBench,
  waiting: Promise<T>,
): Promise<T> {
  const end = new Abort();
  const late = systemTimer.pause(patienceMs, end).then(() => null);
  const ended = await Promise.race([waiting.then((value) => ({ value })), late]);
  end.abort();
  return ended ? ended.value : assert.fail(`the wait did not end within ${patienceMs} ms`);
}

/** Starts a wait, by default one that no timeout ends. */
function wait({ server, owner }: FeedBench, position: number, options: Partial<FeedWaitOptions> = {}): Promise<void> {
  return server.feed.wait(owner, position, { timeoutMs: LONG_MS, ...options });
}

export function waitsContract({ describe, it }: Cases<FeedBench>): void {
  describe('a wait for events', () => {
    it('ends after a write of the same server and of another one', async (bench) => {
      for (const writer of [bench, await bench.onAnotherServer()]) {
        const { position } = await bench.end();
        const waiting = wait(bench, position);
        await writer.place();
        await endsInTime(bench, waiting);
      }
    });

    it('ends at once if an event was written before it began', async (bench) => {
      await bench.place();
      await endsInTime(bench, wait(bench, 0));
      const { position } = await bench.end();
      await endsInTime(bench, wait(bench, 0));
      await bench.place();
      await endsInTime(bench, wait(bench, position));
    });

    it('lasts until its timeout if nothing is written', async (bench) => {
      const other = bench.ofAnother();
      await bench.place();
      const { position } = await bench.end();
      await other.place();
      const since = systemTimer.now();
      await endsInTime(bench, wait(bench, position, { timeoutMs: 50 }));
      const waitedMs = systemTimer.now() - since;
      assert.ok(waitedMs >= 45, `the wait of 50 ms ended after ${waitedMs} ms`);
    });

    it('ends at once when its signal is aborted, and removes its listener', async (bench) => {
      const [before, during, later] = [new Abort(), new Abort(), new Abort()];
      before.abort();
      await endsInTime(bench, wait(bench, 0, { signal: before }));
      const waiting = wait(bench, 0, { signal: during });
      during.abort();
      await endsInTime(bench, waiting);
      await endsInTime(bench, wait(bench, 0, { timeoutMs: 1, signal: later }));
      assert.equal(later.listeners, 0, 'a listener is left');
    });

    it('ends for each of several waiters', async (bench) => {
      const waiting = [1, 2, 3, 4].map(() => wait(bench, 0));
      await bench.place();
      for (const one of waiting) await endsInTime(bench, one);
    });
  });
}
