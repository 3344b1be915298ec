import { spawn } from 'node:child_process';
import { randomUUIDv7 } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { constants, setPriority, userInfo } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { ConsoleFiles } from '@orders/http-adapter';
import { newSignInToken, signInLink } from '@orders/http-adapter/settings';
import { type OrdersDatabase, postgresOperators } from '@orders/persistence';
import type { FastifyBaseLogger } from 'fastify';
import { allPages } from '../database/all-pages.ts';

/** The folder of the console in a clone, and its files, which the image and the folder of `pnpm bundle` have built. */
const SOURCES = fileURLToPath(new URL('../../../console/', import.meta.url));
const [BUILT_BEFORE, BUILT_HERE] = [fileURLToPath(new URL('../../console/', import.meta.url)), `${SOURCES}dist/`];

const NOT_BUILT = 'The console is not built. `pnpm console:build` builds it.';
const UNDER_WAY = 'The console is being built, which takes a few seconds. This page loads it then.';

/** The console as files, and what builds them. */
export interface Console {
  readonly files: ConsoleFiles;
  /**
   * Builds the console of a clone that `pnpm start` or `pnpm dev` serves, unless it is up to date, in a process of low
   * priority. Returns a function that ends that process. A failure is a line of the log: the server does without.
   */
  readonly build: (log: FastifyBaseLogger) => () => Promise<void>;
}

/** Returns the console of this installation. */
export function openConsole(): Console {
  let [loaded, loadedAt, missing] = [new Map<string, Buffer>(), 0, NOT_BUILT];
  const isBuilding = () => missing === UNDER_WAY;
  const folder = existsSync(BUILT_BEFORE) ? BUILT_BEFORE : BUILT_HERE;
  return {
    files: () => {
      const builtAt = isBuilding() ? 0 : modifiedAt(`${folder}index.html`);
      if (builtAt > loadedAt) [loaded, loadedAt] = [readFiles(folder), builtAt];
      return loaded.size > 0 ? loaded : missing;
    },
    build: (log) => {
      const isServed = ['start', 'dev'].includes(process.env['npm_lifecycle_event'] ?? '');
      if (!isServed || folder === BUILT_BEFORE || isCurrent()) return () => Promise.resolve();
      missing = UNDER_WAY;
      const tool = fileURLToPath(new URL('../../../../tools/installed.mjs', import.meta.url));
      // A group of its own, so that the end of the server ends what it has started, too.
      const child = spawn(process.execPath, [tool, '../apps/console', 'build'], { detached: true, stdio: 'pipe' });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => (output = `${output}${chunk.toString()}`.slice(-2000)));
      const ended = once(child, 'close').then(
        ([code]) => code === 0,
        () => false,
      );
      if (child.pid !== undefined) lowerPriority(child.pid);
      let isStopped = false;
      const done = ended.then((isBuilt) => {
        missing = `The console could not be built. ${NOT_BUILT.split('. ')[1]}`;
        if (!isBuilt && !isStopped) log.warn({ output }, 'the console could not be built');
      });
      return async () => {
        isStopped = true;
        if (child.exitCode === null && child.pid !== undefined) killGroup(child.pid);
        await done;
      };
    },
  };
}

/** Whether nothing of the console was changed since it was built. The time of a folder is that of its last addition or removal. */
function isCurrent(): boolean {
  const sources = globSync(['*', 'src/**'], { cwd: SOURCES }).filter(
    (name) => !/^(?:node_modules|dist|generated)$/.test(name),
  );
  return modifiedAt(`${BUILT_HERE}index.html`) > Math.max(...sources.map((name) => modifiedAt(`${SOURCES}${name}`)));
}

function modifiedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function readFiles(folder: string): Map<string, Buffer> {
  const names = ['index.html', ...readdirSync(`${folder}assets`).map((name) => `assets/${name}`)];
  return new Map(names.map((name) => [name, readFileSync(`${folder}${name}`)]));
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended, or this system has no priorities.
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid);
  } catch {
    // All of it has ended.
  }
}

/**
 * Returns the URL of the console, on a terminal with a link that signs in once and within 15 minutes, as an administrator with
 * the name of the user of the operating system. A log gets no link, and nor does a terminal while the database fails.
 */
export async function signInHere(database: OrdersDatabase, adminUrl: string): Promise<string> {
  if (!process.stdout.isTTY) return adminUrl;
  const operators = postgresOperators(database);
  const name = userInfo().username;
  const by = { actor: `command:${name}`, reason: null };
  const { token, ...link } = newSignInToken(new Date());
  const stored = await allPages((page) => operators.list({ at: link.created_at, ...page })).andThen((listed) => {
    const own = listed.find(
      (each) => each.name === name && each.role === 'admin' && each.signs_in === 'link' && each.revoked_at === null,
    );
    const operator = { id: own?.id ?? randomUUIDv7(), name, role: 'admin' } as const;
    return own ? operators.link(own.id, link, by) : operators.create(operator, link, by);
  });
  return stored.isOk() ? signInLink(adminUrl, token) : adminUrl;
}
