import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Domain, OrderDefinition } from '@orders/domain';
import { createDomain } from '@orders/domain/runtime';
import { openDatabase, postgresCustomerRepository, postgresOrderRepository } from '@orders/persistence';
import { expect, onTestFinished } from 'vitest';
import { aFolder, run } from '../../programs/running-server.ts';
import { aDatabase } from '../../programs/server-on-database.ts';
import { fill, OWNER } from './a-shop.ts';

/** Opens the use cases on a PostgreSQL, until the test ends. */
function domainOn(url: string): Domain<OrderDefinition>;
function domainOn(url: string): unknown {
  const database = openDatabase({ url });
  onTestFinished(() => database.close());
  return createDomain({ orders: postgresOrderRepository(database), customers: postgresCustomerRepository(database) });
}

/**
 * Exports a shop with some orders and imports it into another database by `pnpm orders`, which is killed several times, and
 * again until it succeeds. Returns whether the export of it is the same, and how many records were imported.
 */
export async function moveShop(orders: number, kills: number) {
  const [source, target, folder] = [await aDatabase(), await aDatabase(), await aFolder()];
  await fill(domainOn(source.url), orders);
  const [exported, again] = [join(folder, 'shop.ndjson'), join(folder, 'again.ndjson')];
  const cli = (url: string, ...args: readonly string[]) =>
    run('cli.ts', { DATABASE_URL: url }, [...args, '--owner', OWNER]);

  const { code, stdout, stderr } = await cli(source.url, 'export', '--out', exported).finished;
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(stderr).toContain(`exported ${Math.ceil(orders / 10)} customers and ${orders} orders in`);
  expect((await stat(exported)).mode & 0o777).toBe(0o600);

  const imported = async () => {
    const [row] = await target.execute(`select count(*)::int as n from orders.changes where type like '%.imported'`);
    return Number(row?.['n']);
  };
  const all = orders + Math.ceil(orders / 10);
  for (let killed = 0; killed < kills; killed += 1) {
    const before = await imported();
    const { process: importing, finished } = cli(target.url, 'import', exported);
    const goal = before + Math.ceil((all * Math.random()) / (kills + 1));
    while (importing.exitCode === null && (await imported()) < goal) await sleep(5);
    importing.kill('SIGKILL');
    await finished;
  }
  const summary = await cli(target.url, 'import', exported).finished;
  expect(summary).toMatchObject({ code: 0, stdout: '' });
  expect(summary.stderr).toMatch(/imported \d+ customers and \d+ orders; \d+ existed, 0 failed, in/);

  expect((await cli(target.url, 'export', '--out', again).finished).code).toBe(0);
  const printed = await cli(target.url, 'export').finished;
  const texts = [await readFile(again, 'utf8'), printed.stdout];
  const expected = await readFile(exported, 'utf8');
  return { same: texts.every((text) => text === expected), imported: await imported() };
}
