import { openDatabase, postgresEventFeed } from '@orders/persistence';
import { WaitersJob, type WaitersReady } from './waiters-protocol.ts';

/** Longer than a measurement, and shorter than any timer may be. */
const TIMEOUT_MS = 600_000;

const SETTLE_MS = 1000;

// The parent may end in the middle of a run.
process.on('disconnect', () => process.exit());

// Runs in a process of its own, whose CPU time is that of the waiters alone.
process.on('message', (message) => {
  void run(WaitersJob.parse(message)).then((ready) => process.send?.(ready));
});

async function run({ url, owners, perOwner }: WaitersJob): Promise<WaitersReady> {
  const database = openDatabase({ url });
  await database.ping();
  const feed = postgresEventFeed(database);
  const before = heapUsed();
  let ended = 0;
  for (let owner = 0; owner < owners; owner += 1) {
    for (let waiter = 0; waiter < perOwner; waiter += 1) {
      void feed.wait(`waiting ${owner}`, 1, { timeoutMs: TIMEOUT_MS }).then(() => (ended += 1));
    }
  }
  // The first checks are part of the beginning.
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  if (ended > 0) throw new Error(`${ended} waits ended without an event`);
  return { bytes: (heapUsed() - before) / (owners * perOwner) };
}

function heapUsed(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
