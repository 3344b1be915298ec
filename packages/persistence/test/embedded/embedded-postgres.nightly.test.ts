import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  attachEmbeddedPostgres,
  type EmbeddedPostgres,
  EmbeddedPostgresError,
  startEmbeddedPostgres,
} from '@orders/persistence/embedded';
import { removeFolder } from '@orders/child-processes';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { execute } from '../fixtures/execute.ts';

let folder: string;
let dataDir: string;
const running: EmbeddedPostgres[] = [];
const programs: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'orders-embedded-'));
  dataDir = join(folder, 'data');
});

afterEach(async () => {
  for (const program of programs.splice(0)) program.kill('SIGKILL');
  for (const postgres of running.splice(0)) await postgres.stop();
  await removeFolder(folder);
});

async function start(): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir });
  running.push(postgres);
  return postgres;
}

/** Starts PostgreSQL from another process, which the test kills. */
async function startElsewhere(): Promise<{ program: ChildProcess; url: string }> {
  const script = join(import.meta.dirname, 'hold-postgres.ts');
  const program = spawn(process.execPath, ['--conditions=source', script, dataDir], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  programs.push(program);
  const output: unknown[] = await once(program.stdout, 'data');
  return { program, url: String(output[0]).trim() };
}

async function kill(program: ChildProcess): Promise<void> {
  program.kill('SIGKILL');
  await once(program, 'exit');
}

async function postmasterPid(): Promise<number> {
  return Number((await readFile(join(dataDir, 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

async function insertRow(url: string): Promise<void> {
  await execute(url, 'create table kept (note text)');
  await execute(url, `insert into kept values ('still here')`);
}

const kept = (url: string) => execute(url, 'select note from kept');

describe('an embedded PostgreSQL', () => {
  it('stores its data in the folder, readable by its owner alone, and has them after a restart', async () => {
    const first = await start();
    await insertRow(first.url);
    expect(await readFile(join(dataDir, 'PG_VERSION'), 'utf8')).toBe('18\n');
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
    for (const file of ['PG_VERSION', 'database-password', 'postgresql.log', 'server.lock']) {
      const mode = (await stat(join(dataDir, file))).mode & 0o777;
      expect({ file, mode }).toEqual({ file, mode: 0o600 });
    }
    await first.stop();
    expect(await readdir(dataDir)).not.toContain('postmaster.pid');
    const second = await start();
    expect(await kept(second.url)).toEqual([{ note: 'still here' }]);
  });

  it('listens on 127.0.0.1 and rejects connections without the password', async () => {
    const { url } = await start();
    const { hostname, port } = new URL(url);
    expect(hostname).toBe('127.0.0.1');
    for (const credentials of [`orders:wrong@127.0.0.1:${port}/orders`, `postgres@127.0.0.1:${port}/postgres`]) {
      await expect(execute(`postgresql://${credentials}`, 'select 1')).rejects.toThrow(/password|pg_hba/);
    }
  });

  it('listens on the given port, and does not start when another program has that port', async () => {
    const first = await start();
    const port = Number(new URL(first.url).port);
    const elsewhere = join(folder, 'elsewhere');
    await expect(startEmbeddedPostgres({ dataDir: elsewhere, port })).rejects.toThrow('Address already in use');
    await first.stop();
    const second = await startEmbeddedPostgres({ dataDir: elsewhere, port });
    running.push(second);
    expect(new URL(second.url).port).toBe(`${port}`);
    expect(await execute(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('listens on the given port after a crash', async () => {
    const first = await start();
    const port = Number(new URL(first.url).port);
    await insertRow(first.url);
    const crashed = await postmasterPid();
    process.kill(crashed, 'SIGKILL');
    await first.ended;
    await first.stop();
    const second = await startEmbeddedPostgres({ dataDir, port });
    running.push(second);
    expect(await postmasterPid()).not.toBe(crashed);
    expect(second.url).toBe(first.url);
    expect(await kept(second.url)).toEqual([{ note: 'still here' }]);
  });

  it('refuses a second server with the reason, and keeps running', async () => {
    const { url } = await start();
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow(
      new EmbeddedPostgresError(
        `DATA_DIR ${dataDir} is in use by another server: stop that server, or set DATA_DIR to another folder`,
      ),
    );
    expect(await execute(url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('belongs to one of several servers that start at once on an empty folder', async () => {
    const starts = await Promise.allSettled([start(), start(), start()]);
    expect(starts.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected']);
  });

  it('is shared with a command while a server runs, and started for the command otherwise', async () => {
    const server = await start();
    const command = await attachEmbeddedPostgres({ dataDir });
    expect(command.url).toBe(server.url);
    await command.stop();
    expect(await execute(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await server.stop();
    const alone = await attachEmbeddedPostgres({ dataDir });
    running.push(alone);
    expect(await execute(alone.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('rejects a folder with other files, and does not change it', async () => {
    await mkdir(dataDir);
    await writeFile(join(dataDir, 'thesis.txt'), 'precious');
    await expect(start()).rejects.toThrow(`DATA_DIR ${dataDir} contains thesis.txt but no database`);
    expect(await readFile(join(dataDir, 'thesis.txt'), 'utf8')).toBe('precious');
  });

  it('is created again after an interrupted initdb', async () => {
    await mkdir(join(dataDir, '.initdb-0123456789abcdef', 'base'), { recursive: true });
    const { url } = await start();
    expect(await execute(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect((await readdir(dataDir)).filter((name) => name.startsWith('.init'))).toEqual([]);
  });

  it('completes an interrupted move of the finished cluster', async () => {
    const first = await start();
    await insertRow(first.url);
    await first.stop();
    await mkdir(join(dataDir, '.initialized'));
    for (const entry of ['base', 'pg_wal', 'PG_VERSION']) {
      await rename(join(dataDir, entry), join(dataDir, '.initialized', entry));
    }
    const second = await start();
    expect(await kept(second.url)).toEqual([{ note: 'still here' }]);
  });

  it('stops when its program is killed, and starts again with its data', async () => {
    const { program, url } = await startElsewhere();
    await insertRow(url);
    await kill(program);
    await vi.waitFor(async () => expect(await readdir(dataDir)).not.toContain('postmaster.pid'));
    const again = await start();
    expect(await kept(again.url)).toEqual([{ note: 'still here' }]);
  });

  it('ends with the process of the test that started it', async () => {
    const { program } = await startElsewhere();
    program.stdin?.end();
    await once(program, 'exit');
    await vi.waitFor(async () => expect(await readdir(dataDir)).not.toContain('postmaster.pid'));
  });

  it('has every committed row after it and its program were killed', async () => {
    const { program, url } = await startElsewhere();
    await insertRow(url);
    process.kill(await postmasterPid(), 'SIGKILL');
    await kill(program);
    const again = await start();
    expect(await kept(again.url)).toEqual([{ note: 'still here' }]);
  });

  it('is restarted after a crashed run left it running', async () => {
    const { program, url } = await startElsewhere();
    await insertRow(url);
    const orphan = await postmasterPid();
    const { stdout } = await promisify(execFile)('ps', ['-o', 'pid=', '--ppid', `${program.pid}`]);
    const shell = Number(stdout);
    const { stdout: below } = await promisify(execFile)('ps', ['-o', 'pid=', '--ppid', `${shell}`]);
    program.kill('SIGSTOP'); // The killed shell cannot stop PostgreSQL.
    for (const pid of [shell, ...below.trim().split('\n').map(Number)]) {
      if (pid !== orphan) process.kill(pid, 'SIGKILL');
    }
    await kill(program);
    const again = await start();
    expect(await postmasterPid()).not.toBe(orphan);
    expect(await kept(again.url)).toEqual([{ note: 'still here' }]);
  });

  it('starts although another program has the process id of the crashed run', async () => {
    const first = await start();
    await insertRow(first.url);
    const pidFile = await readFile(join(dataDir, 'postmaster.pid'), 'utf8');
    await first.stop();
    const lines = pidFile.split('\n');
    await writeFile(join(dataDir, 'postmaster.pid'), [`${process.pid}`, ...lines.slice(1)].join('\n'));
    const again = await start();
    expect(await kept(again.url)).toEqual([{ note: 'still here' }]);
  });
});
