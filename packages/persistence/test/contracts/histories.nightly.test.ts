import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kill, stdout } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { removeFolder } from '@orders/child-processes';
import { type Database, openDatabase } from '@orders/persistence';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { expect, it, onTestFinished } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { ErasingClients } from './erasing-clients.ts';
import { OrderClients } from './order-clients.ts';

/** Those of the model of orders, and those of the model of erasures: ten thousand operations together. */
const ORDER_CLIENTS = 8;
const ERASING_CLIENTS = 4;
const OPERATIONS = 834;

/** The pauses between two of these faults, in milliseconds. */
const TERMINATE_MS = 100;
const KILL_MS = 1500;

const SESSIONS = `from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
  and backend_type = 'client backend'`;

it('keeps every promise for ten thousand operations, while PostgreSQL and its sessions are killed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'orders-histories-'));
  onTestFinished(() => removeFolder(folder));
  // PostgreSQL runs as another account when the tests run as root.
  await chmod(folder, 0o755);
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data') });
  const servers = Array.from({ length: 2 }, () => openDatabase({ url: postgres.url }));
  onTestFinished(async () => {
    for (const server of servers) await server.close();
    await postgres.stop();
  });
  const [first] = servers;
  if (!first) throw new Error('unreachable');
  await first.migrate();

  let isOver = false;
  const counts = { terminated: 0, killed: 0 };
  const repeat = async (pauseMs: number, fault: () => Promise<void>): Promise<void> => {
    while (!isOver) {
      await sleep(pauseMs);
      // While it recovers, there is nothing to break.
      await fault().catch(() => undefined);
    }
  };
  const faults = [
    repeat(TERMINATE_MS, async () => {
      await execute(postgres.url, `select pg_terminate_backend(pid) ${SESSIONS} order by random() limit 1`);
      counts.terminated += 1;
    }),
    // The end of one session by a signal makes PostgreSQL end all, and recover from its log.
    repeat(KILL_MS, async () => {
      const [row] = await execute<{ pid: number }>(postgres.url, `select pid ${SESSIONS} order by random() limit 1`);
      if (row) kill(row.pid, 'SIGKILL');
      counts.killed += Number(row !== undefined);
    }),
  ];
  const [orders, erasing] = [new OrderClients(() => true), new ErasingClients(first)];
  const work = async (_: unknown, index: number): Promise<void> => {
    const server: Database = servers[index % servers.length] ?? first;
    await (index < ORDER_CLIENTS
      ? orders.work(server, index, OPERATIONS)
      : erasing.work(server, `person-${index}`, OPERATIONS));
  };
  await Promise.all(Array.from({ length: ORDER_CLIENTS + ERASING_CLIENTS }, work)).finally(() => (isOver = true));
  await Promise.all(faults);
  const calm = openDatabase({ url: postgres.url });
  onTestFinished(() => calm.close());
  const events = await orders.check(calm);
  const persons = await erasing.check();
  stdout.write(` histories: ${JSON.stringify({ ...counts, events, ...persons })}\n`);
  expect(Math.min(counts.terminated, counts.killed, persons.erased)).toBeGreaterThan(0);
}, 1_800_000);
