import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chown, mkdir, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { PostgresBinaries } from './binaries.ts';
import { FILES, hasCluster, readIfExists } from './data-dir.ts';
import { EmbeddedPostgresError } from './embedded-error.ts';
import type { RunAs } from './run-as.ts';

const run = promisify(execFile);

/** The name of the server's role and of its database. The superuser has no password, and therefore cannot log in. */
export const ROLE = 'orders';

/**
 * Creates a cluster in `dataDir` unless it has one. The caller holds the lock of the data directory.
 *
 * A crash at any point leaves either a folder that the next start deletes, or a complete cluster that the next start
 * moves into place. The cluster is created in a temporary folder, renamed as a whole when complete, and then moved up
 * file by file, with `PG_VERSION` last.
 */
export async function ensureCluster(dataDir: string, binaries: PostgresBinaries, runAs: RunAs): Promise<void> {
  if (!(await hasCluster(dataDir))) {
    const entries = await readdir(dataDir);
    await Promise.all(
      entries
        .filter((entry) => entry.startsWith(FILES.initdb))
        .map((entry) => rm(join(dataDir, entry), { recursive: true, force: true })),
    );
    if (!entries.includes(FILES.initialized)) await createCluster(dataDir, binaries, runAs);
    await moveUp(dataDir);
  }
  await rm(join(dataDir, FILES.initialized), { recursive: true, force: true });
}

async function createCluster(dataDir: string, binaries: PostgresBinaries, runAs: RunAs): Promise<void> {
  const folder = join(dataDir, `${FILES.initdb}${randomBytes(8).toString('hex')}`);
  await mkdir(folder, { mode: 0o700 });
  if (runAs.user) await chown(folder, runAs.user.uid, runAs.user.gid);
  const [initdb, ...args] = runAs.command(binaries.initdb, [
    `--pgdata=${folder}`,
    '--username=postgres',
    '--auth=trust', // Replaced below, before the cluster first listens.
    '--encoding=UTF8',
    '--locale=C',
    '--no-instructions',
  ]);
  await run(initdb, args, { cwd: '/' }).catch((cause: unknown) => {
    throw new EmbeddedPostgresError(`initdb failed to create a PostgreSQL cluster in ${dataDir}: ${String(cause)}`, {
      cause,
    });
  });
  await writeFile(join(folder, 'pg_hba.conf'), `host all ${ROLE} 127.0.0.1/32 scram-sha-256\n`);
  const password = randomBytes(24).toString('base64url');
  await writeFile(join(folder, FILES.password), password, { mode: 0o600 });
  await inSingleUserMode(folder, binaries, runAs, [
    `create role ${ROLE} login createdb password '${password}'`,
    `create database ${ROLE} owner ${ROLE}`,
    // The details of an error are values of rows, such as the email that another customer has.
    `alter role ${ROLE} set log_error_verbosity = terse`,
  ]);
  await rename(folder, join(dataDir, FILES.initialized));
}

async function inSingleUserMode(
  folder: string,
  binaries: PostgresBinaries,
  runAs: RunAs,
  statements: readonly string[],
): Promise<void> {
  const [program, ...args] = runAs.command(binaries.postgres, ['--single', '-D', folder, 'postgres']);
  const child = spawn(program, args, { cwd: '/', stdio: ['pipe', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  child.stdin.end(statements.map((statement) => `${statement}\n`).join(''));
  await once(child, 'close');
  if (child.exitCode !== 0 || /ERROR|FATAL/.test(errors)) {
    throw new EmbeddedPostgresError(`PostgreSQL failed to create the database ${ROLE}: ${errors}`);
  }
}

async function moveUp(dataDir: string): Promise<void> {
  const folder = join(dataDir, FILES.initialized);
  const entries = await readdir(folder);
  for (const entry of entries.filter((name) => name !== 'PG_VERSION')) {
    await rename(join(folder, entry), join(dataDir, entry));
  }
  await rename(join(folder, 'PG_VERSION'), join(dataDir, 'PG_VERSION'));
  await rmdir(folder);
}

/**
 * Returns the password of {@link ROLE}.
 *
 * @throws {EmbeddedPostgresError} the folder has no password file
 */
export async function clusterPassword(dataDir: string): Promise<string> {
  const password = await readIfExists(join(dataDir, FILES.password));
  if (password === undefined) {
    throw new EmbeddedPostgresError(
      `DATA_DIR ${dataDir} contains a PostgreSQL cluster that this server did not create: set DATA_DIR to another folder`,
    );
  }
  return password;
}
