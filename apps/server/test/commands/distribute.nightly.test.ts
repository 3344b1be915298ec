import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '@orders/persistence';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { describe, expect, it } from 'vitest';
import { aFolder, type Finished, run } from '../programs/running-server.ts';
import { aDatabase } from '../programs/server-on-database.ts';

/** Selects the version of each row of the catalogs of tables, columns, constraints, functions, types and extensions. */
const CATALOG = ['class', 'attribute', 'constraint', 'proc', 'type', 'namespace', 'extension', 'depend']
  .map((part) => `select '${part}' as part, ctid::text, xmin::text from pg_${part}`)
  .join(' union all ');

/** Runs the command on a PostgreSQL with a fake extension named Citus, which has only the names of its parts. */
async function distributeWithCitus(control: string): Promise<Finished> {
  const folder = await aFolder();
  // PostgreSQL runs as another account when the tests run as root, and must be able to read the extension.
  await chmod(folder, 0o755);
  await mkdir(join(folder, 'extension'));
  await writeFile(join(folder, 'extension', 'citus.control'), `default_version = '1'\n${control}`);
  const parts = `
    create table pg_dist_partition (logicalrelid regclass, partmethod "char", repmodel "char");
    grant select on pg_dist_partition to public;
    create function create_distributed_table(regclass, text, colocate_with text, shard_count int default null) returns void return null;
    create function create_distributed_function(regprocedure, text, colocate_with text) returns void return null;`;
  await writeFile(join(folder, 'extension', 'citus--1.sql'), parts);
  const settings = { fsync: 'off', extension_control_path: `$system:${folder}` };
  const postgres = await startEmbeddedPostgres({ dataDir: join(await aFolder(), 'data'), settings });
  try {
    const database = openDatabase({ url: postgres.url });
    await database.migrate();
    await database.close();
    return await run('cli.ts', { DATABASE_URL: postgres.url }, ['distribute']).finished;
  } finally {
    await postgres.stop();
  }
}

describe('pnpm orders distribute', () => {
  it('changes nothing without Citus, and prints that', async () => {
    const { url, execute } = await aDatabase();
    const before = await execute(`${CATALOG} order by 1, 2`);
    expect(before.length).toBeGreaterThan(1000);
    const response = 'This PostgreSQL has no Citus: nothing was changed.\n';
    expect(await run('cli.ts', { DATABASE_URL: url }, ['distribute']).finished).toEqual({
      code: 0,
      stdout: response,
      stderr: '',
    });
    expect(await execute(`${CATALOG} order by 1, 2`)).toEqual(before);
  });

  it('prints that it has distributed the tables', async () => {
    const response = 'The tables are distributed by owner_id.\n';
    expect(await distributeWithCitus('trusted = true')).toEqual({ code: 0, stdout: response, stderr: '' });
  });

  it('reports why it failed', async () => {
    const { code, stdout, stderr } = await distributeWithCitus('trusted = false');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('the tables cannot be distributed: ');
    expect(stderr).toContain('permission denied to create extension "citus"');
    expect(stderr).not.toMatch(/^ +at /m);
  });
});
