import { execFile } from 'node:child_process';
import { chown, cp, mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { removeFolder } from '@orders/child-processes';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { embeddedBinaries } from '../../src/embedded/binaries.ts';
import { execute } from '../fixtures/execute.ts';

/** Creates a folder that only its owner can enter, and deletes it after the test. */
async function privateFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'orders-private-'));
  onTestFinished(() => removeFolder(folder));
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  return folder;
}

/** Copies PostgreSQL's programs to a folder below `folder`. */
async function programsIn(folder: string) {
  const { postgres } = await embeddedBinaries();
  const release = join(folder, 'release');
  await cp(dirname(dirname(postgres)), release, { recursive: true, verbatimSymlinks: true });
  return { initdb: join(release, 'bin/initdb'), postgres: join(release, 'bin/postgres') };
}

/** Returns the ids of a process and of all its descendants. */
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

// oxlint-disable-next-line vitest/no-conditional-tests -- only root can change the owner of files
if (process.getuid?.() === 0) {
  describe('an embedded PostgreSQL of root, with programs and data below a folder that only root can enter', () => {
    it('runs without a capability, serves new connections, and recovers from the crash of a backend', async () => {
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
      // This library is loaded at its first use.
      await execute(postgres.url, 'create table kept (n int); do $$ begin insert into kept values (1); end $$');
      const session = new Client({ connectionString: postgres.url });
      session.on('error', () => undefined); // The backend of this session is killed.
      await session.connect();
      const crashed = session.query('select pg_sleep(60)').catch(String);
      const [backend] = await vi.waitFor(async () => {
        const found = await execute<{ pid: number }>(
          postgres.url,
          `select pid from pg_stat_activity where query like '%pg_sleep%' and pid <> pg_backend_pid()`,
        );
        expect(found).toHaveLength(1);
        return found;
      });
      process.kill(backend?.pid ?? 0, 'SIGKILL');
      expect(await crashed).toMatch(/terminat/);
      await vi.waitFor(async () => expect(await execute(postgres.url, 'select n from kept')).toEqual([{ n: 1 }]));
      await expectUnprivileged();
    });

    it('removes the copy of its programs when it stops, and the copy of a crashed run when it starts', async () => {
      const folder = await privateFolder();
      const [dataDir, binaries] = [join(folder, 'data'), await programsIn(folder)];
      const first = await startEmbeddedPostgres({ dataDir, binaries });
      const copy = await readFile(join(dataDir, 'programs-copy'), 'utf8');
      expect(await stat(copy)).toMatchObject({ uid: 0 });
      await first.stop();
      await expect(stat(copy)).rejects.toThrow('ENOENT');
      const crashedCopy = await mkdtemp(join(tmpdir(), 'orders-postgres-'));
      await writeFile(join(dataDir, 'programs-copy'), crashedCopy);
      const second = await startEmbeddedPostgres({ dataDir });
      await expect(stat(crashedCopy)).rejects.toThrow('ENOENT');
      await second.stop();
    });

    it('keeps a recorded folder that is elsewhere or does not belong to root', async () => {
      const folder = await privateFolder();
      const dataDir = join(folder, 'data');
      await (await startEmbeddedPostgres({ dataDir })).stop();
      const unrelated = await privateFolder();
      const foreign = await mkdtemp(join(tmpdir(), 'orders-postgres-'));
      onTestFinished(() => removeFolder(foreign));
      await chown(foreign, 65_534, 65_534);
      for (const path of [unrelated, join(tmpdir(), 'orders-postgres-x', '..', basename(unrelated)), foreign]) {
        await writeFile(join(dataDir, 'programs-copy'), path);
        await (await startEmbeddedPostgres({ dataDir })).stop();
        expect((await stat(unrelated)).isDirectory()).toBe(true);
        expect((await stat(foreign)).isDirectory()).toBe(true);
      }
    });
  });
}
