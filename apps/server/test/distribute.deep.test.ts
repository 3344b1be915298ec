import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '@orders/persistence';
import { attachEmbeddedPostgres, startEmbeddedPostgres } from '@orders/persistence/embedded';
import { describe, expect, it } from 'vitest';
import { aDataDir, aFolder, type Finished, run } from './running-server.ts';

/** Which version each row of the catalog of tables, columns, constraints, functions, types and extensions is of. */
async function catalog(dataDir: string): Promise<readonly unknown[]> {
  const postgres = await attachEmbeddedPostgres({ dataDir });
  const database = openDatabase({ url: postgres.url });
  const parts = ['class', 'attribute', 'constraint', 'proc', 'type', 'namespace', 'extension', 'depend'];
  const rows = parts.map((part) => `select '${part}' as part, ctid::text, xmin::text from pg_${part}`);
  try {
    return await database.orm.em.fork().execute(`${rows.join(' union all ')} order by 1, 2`);
  } finally {
    await database.close();
    await postgres.stop();
  }
}

/** Runs the command on a PostgreSQL that has an extension by the name of Citus: the names of its parts and no more. */
async function distributeWithCitus(control: string): Promise<Finished> {
  const folder = await aFolder();
  // PostgreSQL runs as another account when the tests run as root, and reads the extension from here.
  await chmod(folder, 0o755);
  await mkdir(join(folder, 'extension'));
  await writeFile(join(folder, 'extension', 'citus.control'), `default_version = '1'\n${control}`);
  const parts = `
    create table pg_dist_partition (logicalrelid regclass, partmethod "char", repmodel "char");
    grant select on pg_dist_partition to public;
    create function create_reference_table(regclass) returns void return null;
    create function create_distributed_table(regclass, text, colocate_with text) returns void return null;`;
  await writeFile(join(folder, 'extension', 'citus--1.sql'), parts);
  const settings = { fsync: 'off', extension_control_path: `$system:${folder}` };
  const postgres = await startEmbeddedPostgres({ dataDir: join(await aFolder(), 'data'), settings });
  const database = openDatabase({ url: postgres.url });
  try {
    try {
      await database.migrate();
    } finally {
      await database.close();
    }
    return await run('cli.ts', { DATABASE_URL: postgres.url }, ['distribute']).finished;
  } finally {
    await postgres.stop();
  }
}

describe('pnpm orders distribute', () => {
  it('changes nothing where there is no Citus, and says so', async () => {
    const dataDir = await aDataDir();
    const before = await catalog(dataDir);
    const { code, stdout, stderr } = await run('cli.ts', { DATA_DIR: dataDir }, ['distribute']).finished;
    const answer = 'This PostgreSQL has no Citus: nothing was changed.\n';
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: answer, stderr: '' });
    expect(before.length).toBeGreaterThan(1000);
    expect(await catalog(dataDir)).toEqual(before);
  });

  it('says that it has distributed the tables', async () => {
    const answer = 'The tables are distributed by owner_id.\n';
    expect(await distributeWithCitus('trusted = true')).toEqual({ code: 0, stdout: answer, stderr: '' });
  });

  it('says why it cannot', async () => {
    const { code, stdout, stderr } = await distributeWithCitus('trusted = false');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('the tables cannot be distributed: ');
    expect(stderr).toContain('permission denied to create extension "citus"');
    expect(stderr).not.toMatch(/^ +at /m);
  });
});
