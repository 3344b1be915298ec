import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { endingWithParent } from '@orders/child-processes';
import { openDatabase } from '@orders/persistence';
import { expect, it, onTestFinished, vi } from 'vitest';
import { versionedOrders } from './delivered-versions.ts';
import { programOf } from './running-server.ts';
import { aDatabase } from './server-on-database.ts';

/** Where a worker kills itself, and how often it has been there by then. */
const STEPS = [
  ['during fan-out', 1],
  ['after fan-out', 2],
  ['after claim', 1],
  ['after claim', 2],
  ['after response', 3],
  ['during settlement', 1],
  ['after settlement', 3],
] as const;
/** Each of the workers takes seconds to start on a busy machine. */
const TIMEOUT_MS = 300_000;

it(
  'delivers every event, in order of each order, by workers that are killed at every step',
  async () => {
    const { url, execute } = await aDatabase();
    const database = openDatabase({ url });
    onTestFinished(() => database.close());
    const orders = await versionedOrders(database, url, [{ isFlaky: false }, { isFlaky: true }]);
    const program = programOf('webhook-worker-program.ts');
    const start = (...args: readonly string[]) =>
      spawn(...endingWithParent(process.execPath, [...program.args, url, orders.signingKey, ...args]), {
        stdio: ['pipe', 'ignore', 'inherit'],
        env: { ...process.env, ...program.env },
      });

    for (const [step, count] of STEPS) {
      await orders.write();
      const worker = start(step, `${count}`);
      const ended = once(worker, 'exit');
      // A worker that has nothing left to do gets more, until it reaches its step.
      for (let rounds = 1; worker.exitCode === null && worker.signalCode === null; rounds += 1) {
        await orders.letTimePass();
        if (rounds % 20 === 0) await orders.write();
        await Promise.race([ended, sleep(100)]);
      }
      expect(await ended, `killed ${step}`).toEqual([null, 'SIGKILL']);
    }

    const last = start();
    await vi.waitFor(
      async () => {
        await orders.letTimePass();
        expect(orders.areAccepted()).toBe(true);
        expect(await execute(`select status from webhook_deliveries where status <> 'delivered'`)).toEqual([]);
      },
      { timeout: TIMEOUT_MS, interval: 200 },
    );
    last.kill('SIGKILL');
    orders.expectInOrder();
  },
  TIMEOUT_MS,
);
