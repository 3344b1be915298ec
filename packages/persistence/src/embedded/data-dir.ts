import { closeSync, openSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isNativeError } from 'node:util/types';
import { errorCode } from '../shared/error-code.ts';
import { EmbeddedPostgresError } from './embedded-error.ts';
import type { RunAs } from './run-as.ts';

/** The files we keep beside PostgreSQL's own. */
export const FILES = {
  lock: 'server.lock',
  password: 'database-password',
  log: 'postgresql.log',
  /** Where the copy of PostgreSQL's programs is that runs now, if they had to be copied. */
  programs: 'programs-copy',
  /** A complete cluster on its way to the data directory itself. */
  initialized: '.initialized',
  /** Begins the names of clusters in the making. */
  initdb: '.initdb-',
} as const;

/** Whether a cluster lies in `dataDir`. */
export async function hasCluster(dataDir: string): Promise<boolean> {
  return (await readIfThere(join(dataDir, 'PG_VERSION'))) !== undefined;
}

export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return undefined;
    throw cause;
  }
}

/** Makes `dataDir` unless it is there, and refuses one that holds something else than what we keep. */
export async function makeDataDir(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    refuseForeign(dataDir, await readdir(dataDir));
  } catch (cause) {
    if (cause instanceof EmbeddedPostgresError) throw cause;
    throw new EmbeddedPostgresError(`DATA_DIR ${dataDir} cannot be used: ${String(cause)}`, { cause });
  }
}

function refuseForeign(dataDir: string, entries: readonly string[]): void {
  if (entries.includes('PG_VERSION') || entries.includes(FILES.initialized)) return;
  const ours = (entry: string) => entry.startsWith(FILES.initdb) || entry === FILES.lock || entry === FILES.log;
  const foreign = entries.find((entry) => !ours(entry));
  if (foreign === undefined) return;
  throw new EmbeddedPostgresError(
    `DATA_DIR ${dataDir} holds ${foreign} but no database; name an empty or absent folder`,
  );
}

/** Gives `dataDir` to the user PostgreSQL runs as, for that user alone, as PostgreSQL demands. */
export async function ownDataDir(dataDir: string, { user }: RunAs): Promise<void> {
  const { uid, mode } = await stat(dataDir);
  if ((mode & 0o077) !== 0) await chmod(dataDir, 0o700);
  if (user && uid !== user.uid) await chown(dataDir, user.uid, user.gid);
}

/** Holds a data directory for one process. */
export interface DataDirLock {
  /** Frees the data directory; nothing happens when it is free already. */
  release(): void;
}

/**
 * Takes `dataDir` for this process, or answers `undefined` when another process has it.
 *
 * The lock is the operating system's on an open file, taken through SQLite because Node.js has no call for it. It ends
 * with the process however the process ends, so it is never stale, and no process id has to be guessed about.
 */
export function lockDataDir(dataDir: string): DataDirLock | undefined {
  const path = join(dataDir, FILES.lock);
  closeSync(openSync(path, 'a', 0o600));
  const file = new DatabaseSync(path);
  try {
    file.exec('pragma journal_mode = memory; pragma locking_mode = exclusive; begin exclusive');
  } catch (cause) {
    file.close();
    const busy = isNativeError(cause) && 'errcode' in cause && cause.errcode === 5;
    if (busy) return undefined;
    throw new EmbeddedPostgresError(`DATA_DIR ${dataDir} cannot be locked: ${String(cause)}`, { cause });
  }
  return {
    release: () => {
      if (file.isOpen) file.close();
    },
  };
}
