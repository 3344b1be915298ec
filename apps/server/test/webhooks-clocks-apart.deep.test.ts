import { spawn } from 'node:child_process';
import { endingWithParent } from '@orders/child-processes';
import { openDatabase } from '@orders/persistence';
import { expect, it, onTestFinished, vi } from 'vitest';
import { clockAhead } from './clock-ahead.ts';
import { versionedOrders } from './delivered-versions.ts';
import { programOf } from './running-server.ts';
import { aDatabase } from './server-on-database.ts';

/** Less than the five minutes for which receivers accept a signature. */
const APART_MS = 4 * 60_000;
const ROUNDS = 5;
/** The first gap between attempts is 5 s, and varies by a fifth. */
const GAP_MIN_MS = 4000;
const TIMEOUT_MS = 240_000;

it(
  'workers whose clocks are minutes ahead and behind send each message once per attempt, in order and not too early',
  async () => {
    const { url } = await aDatabase();
    const database = openDatabase({ url });
    onTestFinished(() => database.close());
    const orders = await versionedOrders(database, url, [
      { isFlaky: false, responseMs: 300 },
      { isFlaky: true, responseMs: 300 },
    ]);
    const { args, env } = programOf('webhook-worker-program.ts');
    for (const aheadMs of [APART_MS, -APART_MS]) {
      const worker = spawn(...endingWithParent(process.execPath, [...args, url, orders.signingKey]), {
        stdio: ['pipe', 'ignore', 'inherit'],
        env: { ...process.env, ...env, ...clockAhead(aheadMs) },
      });
      onTestFinished(() => void worker.kill('SIGKILL'));
    }
    for (let round = 1; round <= ROUNDS; round += 1) await orders.write();
    await vi.waitUntil(orders.areAccepted, { timeout: TIMEOUT_MS, interval: 100 });
    orders.expectInOrder();
    for (const { accepted, requestedAt, faults } of orders.receivers) {
      expect(faults).toEqual([]);
      expect(accepted.length).toBe(new Set(accepted).size);
      for (const [first = 0, second = Infinity] of requestedAt.values())
        expect(second - first).toBeGreaterThan(GAP_MIN_MS);
    }
  },
  TIMEOUT_MS,
);
