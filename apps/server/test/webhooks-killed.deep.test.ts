import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { endingWithParent } from '@orders/child-processes';
import type { Order } from '@orders/domain';
import { uuidv7Ids } from '@orders/domain/runtime';
import { anEventOf, anOrder } from '@orders/domain/testing';
import type { WebhookEndpoint } from '@orders/domain/webhooks';
import { openDatabase, postgresOrderRepository, postgresWebhookEndpoints } from '@orders/persistence';
import { signingKeyFingerprint } from '@orders/webhooks';
import { ok } from 'neverthrow';
import { expect, it, onTestFinished, vi } from 'vitest';
import { aDatabase } from './server-on-database.ts';

const OWNER = 'shop';
const PROGRAM = join(import.meta.dirname, 'webhook-worker-program.ts');
const ORDERS = 8;
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

const ids = uuidv7Ids();

/** Starts a receiver that rejects each message once, and returns the messages that it accepted, in order. */
async function startReceiver(isFlaky: boolean) {
  const accepted: string[] = [];
  const rejected = new Set<string>();
  const server = createServer((request, response) => {
    const id = String(request.headers['webhook-id']);
    const isRejected = isFlaky && !rejected.has(id);
    void text(request).then(() => {
      rejected.add(id);
      if (!isRejected) accepted.push(id);
      response.writeHead(isRejected ? 503 : 204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return { url: `http://127.0.0.1:${address.port}/`, accepted };
}

it(
  'delivers every event, in order of each order, by workers that are killed at every step',
  async () => {
    const { url, execute } = await aDatabase();
    const database = openDatabase({ url });
    onTestFinished(() => database.close());
    const [orders, endpoints] = [postgresOrderRepository(database), postgresWebhookEndpoints(database)];
    const signingKey = randomBytes(32).toString('base64');
    const receivers = [await startReceiver(false), await startReceiver(true)];
    for (const receiver of receivers) {
      const now = new Date().toISOString();
      const endpoint: WebhookEndpoint = {
        id: ids.next(),
        url: receiver.url,
        types: null,
        include: ['resource'],
        description: null,
        status: 'enabled',
        disabled_reason: null,
        secrets: [{ serial: 1, key: signingKeyFingerprint(signingKey), expires_at: null }],
        start: 0,
        version: 1,
        created_at: now,
        updated_at: now,
      };
      const event = { id: ids.next(), owner: OWNER, aggregate_id: endpoint.id, version: 1, occurred_at: now } as const;
      const created = { ...event, type: 'webhook_endpoint.created', changed: [], actor: null } as const;
      (await endpoints.insert(OWNER, { endpoint, event: created }))._unsafeUnwrap();
    }

    /** The ids of the events of each order, in order of the versions. */
    const written = new Map<string, string[]>();
    const writeVersions = async (): Promise<void> => {
      for (const [id, events] of written) {
        const decide = (before: Order) => {
          const order = { ...before, version: before.version + 1, updated_at: new Date().toISOString() };
          return ok({ order, event: { ...anEventOf(OWNER, order, { changed: ['note'] }), id: ids.next() } });
        };
        const { event } = (await orders.update(OWNER, id, decide))._unsafeUnwrap();
        if (event) events.push(event.id);
      }
    };
    for (let count = 0; count < ORDERS; count += 1) {
      const order = anOrder({ created_at: new Date().toISOString() });
      const event = { ...anEventOf(OWNER, order), id: ids.next() };
      (await orders.insert(OWNER, { order, event }))._unsafeUnwrap();
      written.set(order.id, [event.id]);
    }

    /** Lets a minute pass for leases, and all gaps. */
    const letTimePass = async (): Promise<void> => {
      // The queues are locked first, as workers do.
      await execute(`update webhook_queues set fresh_after = now() where fresh_after > now();
      update webhook_deliveries set due_at = now() where due_at > now();
      update webhook_deliveries set leased_until = now() where leased_until > now()`);
    };
    const start = (...args: readonly string[]) =>
      spawn(...endingWithParent(process.execPath, ['--conditions=source', PROGRAM, url, signingKey, ...args]), {
        stdio: ['pipe', 'ignore', 'inherit'],
      });

    for (const [step, count] of STEPS) {
      await writeVersions();
      const worker = start(step, `${count}`);
      const ended = once(worker, 'exit');
      // A worker that has nothing left to do gets more, until it reaches its step.
      for (let rounds = 1; worker.exitCode === null && worker.signalCode === null; rounds += 1) {
        await letTimePass();
        if (rounds % 20 === 0) await writeVersions();
        await Promise.race([ended, sleep(100)]);
      }
      expect(await ended, `killed ${step}`).toEqual([null, 'SIGKILL']);
    }

    const last = start();
    const events = [...written.values()].flat();
    expect(events.length).toBeGreaterThanOrEqual(ORDERS * (1 + STEPS.length));
    await vi.waitFor(
      async () => {
        await letTimePass();
        for (const { accepted } of receivers) expect(new Set(accepted).size).toBe(events.length);
        expect(await execute(`select status from webhook_deliveries where status <> 'delivered'`)).toEqual([]);
      },
      { timeout: TIMEOUT_MS, interval: 200 },
    );
    last.kill('SIGKILL');
    for (const { accepted } of receivers) {
      const firstAccepted = [...new Set(accepted)];
      for (const versions of written.values())
        expect(firstAccepted.filter((id) => versions.includes(id))).toEqual(versions);
    }
  },
  TIMEOUT_MS,
);
