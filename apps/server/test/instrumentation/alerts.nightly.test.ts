import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { aReceiver, subscribe } from '../programs/a-receiver.ts';
import { aFolder, placeOrder, type RunningServer } from '../programs/running-server.ts';
import { aDatabase, FULL_DISK, LOCK_ORDERS, startServerOn, type TestDatabase } from '../programs/server-on-database.ts';
import { scrape } from './scraped-metrics.ts';

const RULES = join(import.meta.dirname, '../../deploy/alerts.yml');
const GUIDES = join(import.meta.dirname, '../../../../docs/guides');

/** The simulated minutes of a situation, each of which ends with a scrape. */
const MINUTES = 16;

const ENVIRONMENT = {
  METRICS_PORT: '0',
  WEBHOOK_SIGNING_KEYS: Buffer.alloc(32, 'alerts').toString('base64'),
  WEBHOOK_ALLOW_CIDRS: '127.0.0.1',
  LOCK_TIMEOUT_MS: '50',
};

/**
 * Plays a situation on a real server, once for each minute, and returns the alerts that Prometheus fires about the scraped
 * metrics.
 */
async function firedBy(server: RunningServer, situation: (minute: number) => Promise<unknown>) {
  const series = new Map<string, (number | '_')[]>();
  for (let minute = 0; minute < MINUTES; minute += 1) {
    await situation(minute);
    for (const { name, labels, value } of [...(await scrape(server)).samples, { name: 'up', labels: {}, value: 1 }]) {
      const text = Object.entries({ ...labels, job: 'orders', instance: 'a' }).map(([label, is]) => `${label}="${is}"`);
      const key = `${name}{${text.join(',')}}`;
      const values = series.get(key) ?? Array.from({ length: minute }, () => '_' as const);
      series.set(key, values);
      if (values.length === minute) values.push(value);
    }
    for (const values of series.values()) if (values.length === minute) values.push('_');
  }
  const test = {
    rule_files: [RULES],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: [...series].map(([key, values]) => ({ series: key, values: values.join(' ') })),
        promql_expr_test: [{ expr: 'ALERTS{alertstate="firing"}', eval_time: `${MINUTES - 1}m`, exp_samples: [] }],
      },
    ],
  };
  const file = join(await aFolder(), 'alerts-test.yml');
  await writeFile(file, JSON.stringify(test));
  // What differs from no alert is printed.
  const { stdout, stderr } = await promisify(execFile)('promtool', ['test', 'rules', file]).catch(
    (failure: { readonly stdout: string; readonly stderr: string }) => failure,
  );
  const printed = stdout + stderr;
  expect(printed).toMatch(/SUCCESS|got: \{/);
  return [...new Set([...printed.matchAll(/alertname="(\w+)"/g)].map(([, name = '']) => name))].toSorted();
}

const read = (server: RunningServer) => server.request('/v1/orders');

/** Probes as often as two balancers do, whose time is real here: they must not hide what happens to requests. */
async function probe(server: RunningServer): Promise<void> {
  await Promise.all(
    Array.from({ length: 120 }, () => fetch(`${server.url}/readyz`).then((response) => response.text())),
  );
}

async function started(environment: Readonly<Record<string, string>> = {}): Promise<[RunningServer, TestDatabase]> {
  const database = await aDatabase();
  return [await startServerOn(database, { ...ENVIRONMENT, ...environment }), database];
}

describe('the alerts', () => {
  it('are silent about probes, long polls and little traffic', async () => {
    const [server] = await started();
    const fired = await firedBy(server, async (minute) => {
      await Promise.all([probe(server), server.request('/v1/events?start=latest&wait=2')]);
      if (minute % 2 === 0) await read(server);
    });
    expect(fired).toEqual([]);
  });

  it('see one failing order a minute behind the probes, and say why', async () => {
    const [server, database] = await started();
    await database.execute(FULL_DISK);
    const fired = await firedBy(server, async () => {
      await probe(server);
      await placeOrder(server).catch(() => undefined);
      await read(server);
    });
    expect(fired).toEqual(['OrdersDatabaseFails', 'OrdersRequestsFail']);
  });

  it('see a held lock', async () => {
    const [server, database] = await started();
    const unlock = await database.lock(LOCK_ORDERS);
    const reads: Promise<unknown>[] = [];
    const fired = await firedBy(server, async () => {
      reads.push(read(server));
      await sleep(1000);
    });
    await unlock();
    await Promise.all(reads);
    expect(fired).toEqual(expect.arrayContaining(['OrdersLocked', 'OrdersRequestsFail']));
    expect(fired).not.toContain('OrdersNotReady');
  });

  it('see that no receiver accepts webhooks', async () => {
    const [server] = await started();
    const receiver = await aReceiver();
    receiver.state.rejects = true;
    await subscribe(server, receiver);
    const fired = await firedBy(server, async (minute) => {
      if (minute > 5 && minute < 9) await placeOrder(server);
      await sleep(200);
    });
    expect(fired).toEqual(['OrdersWebhooksNotAccepted']);
  });

  it('see a copy that sends nothing', async () => {
    const [server, database] = await started();
    await database.execute(`insert into orders.sending_database values (true, 'another', null)
      on conflict (only_row) do update set identity = excluded.identity`);
    while ((await scrape(server)).value('orders_webhook_quiet') !== 1);
    expect(await firedBy(server, () => Promise.resolve())).toEqual(['OrdersWebhooksQuiet']);
  });

  it('see a database that is gone', async () => {
    const [server, database] = await started();
    await database.execute('alter database orders connection limit 1');
    await database.execute(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = 'orders' and pid <> pg_backend_pid()`,
    );
    const fired = await firedBy(server, async () => {
      await read(server);
      await sleep(100);
    });
    expect(fired).toEqual(['OrdersDatabaseFails', 'OrdersNotReady', 'OrdersRequestsFail']);
  });

  it('lead to sections of guides that exist', async () => {
    const runbooks = [...(await readFile(RULES, 'utf8')).matchAll(/runbook: (\S+)#(\S+)/g)];
    expect(runbooks.length).toBeGreaterThan(15);
    for (const [, page = '', anchor] of runbooks) {
      const headings = [...(await readFile(join(GUIDES, page), 'utf8')).matchAll(/^#+ (.*)$/gm)];
      const anchors = headings.map(([, text = '']) =>
        text
          .toLowerCase()
          .replaceAll(/[^a-z0-9 -]/g, '')
          .replaceAll(' ', '-'),
      );
      expect(anchors).toContain(anchor);
    }
  });
});
