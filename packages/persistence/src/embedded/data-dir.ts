import { closeSync, openSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isNativeError } from 'node:util/types';
import { errorCode } from '../postgres/error-code.ts';
import { EmbeddedPostgresError } from './embedded-error.ts';
import type { RunAs } from './run-as.ts';

/** The files of this package in the data directory, next to PostgreSQL's own. */
export const FILES = {
  lock: 'server.lock',
  password: 'database-password',
  log: 'postgresql.log',
  /** Contains the path of the copy of PostgreSQL's programs that is running, if they had to be copied. */
  programs: 'programs-copy',
  /** A complete cluster that is being moved into the data directory. */
  initialized: '.initialized',
  /** The prefix of folders in which a cluster is being created. */
  initdb: '.initdb-',
} as const;

/** Returns whether `dataDir` contains a cluster. */
export async function hasCluster(dataDir: string): Promise<boolean> {
  return (await readIfExists(join(dataDir, 'PG_VERSION'))) !== undefined;
}

export async function readIfExists(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return undefined;
    throw cause;
  }
}

/** Creates `dataDir` unless it exists. Rejects a folder with other files and no database. */
export async function createDataDir(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    rejectForeignFiles(dataDir, await readdir(dataDir));
  } catch (cause) {
    if (cause instanceof EmbeddedPostgresError) throw cause;
    throw new EmbeddedPostgresError(`cannot use DATA_DIR ${dataDir}: ${String(cause)}`, { cause });
  }
}

function rejectForeignFiles(dataDir: string, entries: readonly string[]): void {
  if (entries.includes('PG_VERSION') || entries.includes(FILES.initialized)) return;
  const ours = (entry: string) => entry.startsWith(FILES.initdb) || entry === FILES.lock || entry === FILES.log;
  const foreign = entries.find((entry) => !ours(entry));
  if (foreign === undefined) return;
  throw new EmbeddedPostgresError(
    `DATA_DIR ${dataDir} contains ${foreign} but no database: set DATA_DIR to an empty or nonexistent folder`,
  );
}

/** Gives `dataDir` to the account that PostgreSQL runs as, with access for it alone, as PostgreSQL requires. */
export async function takeOwnership(dataDir: string, { user }: RunAs): Promise<void> {
  const { uid, mode } = await stat(dataDir);
  if ((mode & 0o077) !== 0) await chmod(dataDir, 0o700);
  if (user && uid !== user.uid) await chown(dataDir, user.uid, user.gid);
}

/** The lock of a data directory, held by one process. */
export interface DataDirLock {
  /** Releases the data directory. Does nothing when it is already released. */
  release(): void;
}

/**
 * Locks `dataDir` for this process, or returns `undefined` when another process has locked it.
 *
 * The lock is the operating system's lock on an open file, taken through SQLite because Node.js has no function for it.
 * It ends with the process in every case, so that it is never stale and no process ids need checking.
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
    throw new EmbeddedPostgresError(`cannot lock DATA_DIR ${dataDir}: ${String(cause)}`, { cause });
  }
  return {
    release: () => {
      if (file.isOpen) file.close();
    },
  };
}
