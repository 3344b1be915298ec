import { systemClock, uuidv7Ids } from '@orders/domain/runtime';
import type { WebhookQueue, WebhookSender } from '@orders/domain/webhooks';
import { openDatabase, postgresWebhookEndpoints, postgresWebhookQueue } from '@orders/persistence';
import { startWebhookWorker, webhookSecrets, webhookSender } from '@orders/webhooks';
import { ResultAsync } from 'neverthrow';
import { expect, it, onTestFinished, vi } from 'vitest';
import { versionedOrders } from './delivered-versions.ts';
import { startKillablePostgres } from './killable-postgres.ts';

const STEPS = [
  'during fan-out',
  'after fan-out',
  'during claim',
  'after claim',
  'while sending',
  'during settlement',
  'after settlement',
] as const;
type Step = (typeof STEPS)[number];

const POOL_MAX = 4;
const TIMEOUT_MS = 300_000;

it.each(['killSession', 'killAll'] as const)(
  'one worker delivers every event, in order of each order, while PostgreSQL is killed at every step (%s)',
  async (fault) => {
    const postgres = await startKillablePostgres();
    const writer = openDatabase({ url: postgres.url, poolMax: 1 });
    const database = openDatabase({ url: postgres.url, poolMax: POOL_MAX });
    const orders = await versionedOrders(writer, postgres.url, [{ isFlaky: false }, { isFlaky: true }]);
    let armed: Step | null = null;
    let isKilled = false;

    /** Kills PostgreSQL if this is the step to do so, while the work of the step goes on. */
    const reached = async (step: Step): Promise<void> => {
      if (step !== armed) return;
      armed = null;
      await postgres[fault]();
      isKilled = true;
    };
    const queue = postgresWebhookQueue(database);
    const at = <T, E>(operation: string, running: ResultAsync<T, E>): ResultAsync<T, E> => {
      const [during, after] = STEPS.filter((step) => step.endsWith(operation));
      const ended = async () => {
        if (during) await reached(during);
        const result = await running;
        if (after) await reached(after);
        return result;
      };
      return new ResultAsync(ended());
    };
    const fragileQueue: WebhookQueue = {
      findDue: (limit, after) => queue.findDue(limit, after),
      fanOut: (owner) => at('fan-out', queue.fanOut(owner)),
      claim: (owner, limit) => at('claim', queue.claim(owner, limit)),
      settle: (...settled) => at('settlement', queue.settle(...settled)),
    };
    const sender = webhookSender({
      secrets: webhookSecrets([orders.signingKey]),
      clock: systemClock,
      rules: { allow: ['127.0.0.1'] },
      timeoutMs: 5000,
    });
    const fragileSender: WebhookSender = {
      send: async (...message) => {
        const sending = sender.send(...message);
        await reached('while sending');
        return await sending;
      },
    };
    const worker = startWebhookWorker({
      queue: fragileQueue,
      sender: fragileSender,
      endpoints: postgresWebhookEndpoints(database),
      ids: uuidv7Ids(),
      clock: systemClock,
      present: (event) => event,
      log: { info: () => undefined, warn: () => undefined },
      pollMs: 50,
    });
    onTestFinished(async () => {
      await worker.stop();
      sender.close();
      await database.close();
      await writer.close();
    });

    for (const step of STEPS) {
      // After a recovery, the first connections of the pools may be dead.
      await vi.waitFor(() => writer.ping());
      await orders.write();
      armed = step;
      isKilled = false;
      await vi.waitFor(
        async () => {
          await orders.letTimePass();
          expect({ step, isKilled, areAccepted: orders.areAccepted() }).toEqual({
            step,
            isKilled: true,
            areAccepted: true,
          });
        },
        { timeout: 120_000, interval: 100 },
      );
    }
    orders.expectInOrder();
    await vi.waitFor(() => expect(worker.state()).toEqual({ inFlight: 0, ownersWaiting: 0 }));
    expect((await postgres.sessions()).length).toBeLessThanOrEqual(POOL_MAX + 1);
    await worker.stop();
    await database.close();
    await writer.close();
    // A session ends shortly after its connection.
    await vi.waitFor(async () => expect(await postgres.sessions()).toEqual([]));
  },
  TIMEOUT_MS,
);
