import { execFile } from 'node:child_process';
import { chown, cp, mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { removeFolder } from '@orders/child-processes';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { embeddedBinaries } from '../src/embedded/binaries.ts';
import { execute } from './execute.ts';

/** A folder that only its owner can enter, gone after the test. */
async function privateFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'orders-private-'));
  onTestFinished(() => removeFolder(folder));
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  return folder;
}

/** PostgreSQL's programs, in a folder of their own below `folder`. */
async function programsIn(folder: string) {
  const { postgres } = await embeddedBinaries();
  const release = join(folder, 'release');
  await cp(dirname(dirname(postgres)), release, { recursive: true, verbatimSymlinks: true });
  return { initdb: join(release, 'bin/initdb'), postgres: join(release, 'bin/postgres') };
}

/** A process and all below it. */
async function processesOf(pid: number): Promise<readonly number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid=,ppid=']);
  const all = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  return [pid, ...all.flatMap(([child = 0, parent]) => (parent === pid ? [child] : []))];
}

async function privilegesOf(pid: number): Promise<readonly string[]> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return status.split('\n').filter((line) => /^(Uid|Cap(Inh|Prm|Eff|Amb)|NoNewPrivs):/.test(line));
}

// oxlint-disable-next-line vitest/no-conditional-tests -- another account cannot give away what it has not got
if (process.getuid?.() === 0) {
  describe('the embedded PostgreSQL of root, with programs and data below a folder that only root can enter', () => {
    it('runs without a capability, serves new connections, and comes back from a crash of one', async () => {
      const folder = await privateFolder();
      const dataDir = join(folder, 'data');
      const postgres = await startEmbeddedPostgres({ dataDir, binaries: await programsIn(folder) });
      onTestFinished(() => postgres.stop());
      const { uid } = await stat(dataDir);
      const pid = Number((await readFile(join(dataDir, 'postmaster.pid'), 'utf8')).split('\n')[0]);
      const expectUnprivileged = async () => {
        const processes = await processesOf(pid);
        expect(processes.length).toBeGreaterThan(4);
        for (const each of processes) {
          const none = ['CapInh', 'CapPrm', 'CapEff', 'CapAmb'].map((name) => `${name}:\t0000000000000000`);
          expect(await privilegesOf(each)).toEqual([`Uid:\t${uid}\t${uid}\t${uid}\t${uid}`, ...none, 'NoNewPrivs:\t1']);
        }
      };
      expect(uid).not.toBe(0);
      await expectUnprivileged();
      // A library that is loaded on its first use.
      await execute(postgres.url, 'create table kept (n int); do $$ begin insert into kept values (1); end $$');
      const session = new Client({ connectionString: postgres.url });
      session.on('error', () => undefined); // Its backend is killed.
      await session.connect();
      const crashed = session.query('select pg_sleep(60)').catch(String);
      const [backend] = await vi.waitFor(async () => {
        const found = await execute<{ pid: number }>(
          postgres.url,
          `select pid from pg_stat_activity where query like '%pg_sleep%' and pid <> pg_backend_pid()`,
        );
        expect(found).toHaveLength(1);
        return found;
      }, 20_000);
      process.kill(backend?.pid ?? 0, 'SIGKILL');
      expect(await crashed).toMatch(/terminat/);
      await vi.waitFor(
        async () => expect(await execute(postgres.url, 'select n from kept')).toEqual([{ n: 1 }]),
        20_000,
      );
      await expectUnprivileged();
    });

    it('removes the copy of its programs with its stop, and one that a crash left with the next start', async () => {
      const folder = await privateFolder();
      const [dataDir, binaries] = [join(folder, 'data'), await programsIn(folder)];
      const first = await startEmbeddedPostgres({ dataDir, binaries });
      const copy = await readFile(join(dataDir, 'programs-copy'), 'utf8');
      expect(await stat(copy)).toMatchObject({ uid: 0 });
      await first.stop();
      await expect(stat(copy)).rejects.toThrow('ENOENT');
      const leftByCrash = await mkdtemp(join(tmpdir(), 'orders-postgres-'));
      await writeFile(join(dataDir, 'programs-copy'), leftByCrash);
      const second = await startEmbeddedPostgres({ dataDir });
      await expect(stat(leftByCrash)).rejects.toThrow('ENOENT');
      await second.stop();
    });

    it('removes nothing by the record of a copy that lies elsewhere or is not of root', async () => {
      const folder = await privateFolder();
      const dataDir = join(folder, 'data');
      await (await startEmbeddedPostgres({ dataDir })).stop();
      const precious = await privateFolder();
      const foreign = await mkdtemp(join(tmpdir(), 'orders-postgres-'));
      onTestFinished(() => removeFolder(foreign));
      await chown(foreign, 65_534, 65_534);
      for (const path of [precious, join(tmpdir(), 'orders-postgres-x', '..', basename(precious)), foreign]) {
        await writeFile(join(dataDir, 'programs-copy'), path);
        await (await startEmbeddedPostgres({ dataDir })).stop();
        expect((await stat(precious)).isDirectory()).toBe(true);
        expect((await stat(foreign)).isDirectory()).toBe(true);
      }
    });
  });
}
