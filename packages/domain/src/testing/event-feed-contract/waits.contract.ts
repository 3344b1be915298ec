import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { FEED_START } from '../../events/feed-position.ts';
import { systemTimer } from '../../events/timer.ts';
import { Abort } from '../abort.ts';
import * as assert from '../assertions.ts';
import { anOwner, type TestRunner } from '../contract-subject.ts';
import { anotherServer, endOf, type EventFeedSubject, type OpenFeedSubject } from './subject.ts';
import type { OrderFixtures } from '../order-fixtures.ts';

const PATIENCE_MS = 10_000;

/** A timeout that no test reaches. */
const LONG_MS = 600_000;

/** Fails the test unless `waiting` ends in time. */
async function ends(
  { patienceMs = PATIENCE_MS }: EventFeedSubject<OrderDefinition>,
  waiting: Promise<void>,
): Promise<void> {
  const end = new Abort();
  const late = systemTimer.pause(patienceMs, end).then(() => false);
  const isInTime = await Promise.race([waiting.then(() => true), late]);
  end.abort();
  assert.ok(isInTime, `the wait did not end within ${patienceMs} ms`);
}

export function waitsContract(
  { describe, it }: TestRunner,
  open: OpenFeedSubject<OrderDefinition>,
  { place }: OrderFixtures,
): void {
  describe('a wait for events', () => {
    it('ends after a write of the same server and of another one', async () => {
      const subject = await open();
      const owner = anOwner();
      for (const writer of [subject, await anotherServer(subject)]) {
        const { position } = await endOf(subject, owner);
        const waiting = subject.feed.wait(owner, position, { timeoutMs: LONG_MS });
        await place(writer, owner);
        await ends(subject, waiting);
      }
    });

    it('ends at once if an event was written before it began', async () => {
      const subject = await open();
      const owner = anOwner();
      await place(subject, owner);
      await ends(subject, subject.feed.wait(owner, 0, { timeoutMs: LONG_MS }));
      const { position } = await endOf(subject, owner);
      await ends(subject, subject.feed.wait(owner, 0, { timeoutMs: LONG_MS }));
      await place(subject, owner);
      await ends(subject, subject.feed.wait(owner, position, { timeoutMs: LONG_MS }));
    });

    it('lasts until its timeout if nothing is written', async () => {
      const subject = await open();
      const [owner, otherOwner] = [anOwner(), anOwner()];
      await place(subject, owner);
      const { position } = await endOf(subject, owner);
      await place(subject, otherOwner);
      const since = systemTimer.now();
      await ends(subject, subject.feed.wait(owner, position, { timeoutMs: 50 }));
      const waitedMs = systemTimer.now() - since;
      assert.ok(waitedMs >= 45, `the wait of 50 ms ended after ${waitedMs} ms`);
    });

    it('ends at once when its signal is aborted, and removes its listener', async () => {
      const subject = await open();
      const owner = anOwner();
      const [before, during, later] = [new Abort(), new Abort(), new Abort()];
      before.abort();
      await ends(subject, subject.feed.wait(owner, 0, { timeoutMs: LONG_MS, signal: before }));
      const waiting = subject.feed.wait(owner, 0, { timeoutMs: LONG_MS, signal: during });
      during.abort();
      await ends(subject, waiting);
      await ends(subject, subject.feed.wait(owner, 0, { timeoutMs: 1, signal: later }));
      assert.equal(later.listeners, 0, 'a listener is left');
    });

    it('ends for each of several waiters', async () => {
      const subject = await open();
      const owner = anOwner();
      const { position } = FEED_START;
      const waiting = [1, 2, 3, 4].map(() => subject.feed.wait(owner, position, { timeoutMs: LONG_MS }));
      await place(subject, owner);
      for (const one of waiting) await ends(subject, one);
    });
  });
}
