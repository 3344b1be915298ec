import { execFile } from 'node:child_process';
import { chmod, cp, lstat, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { PostgresBinaries } from './binaries.ts';
import { FILES, readIfExists } from './data-dir.ts';
import { EmbeddedPostgresError } from './embedded-error.ts';
import type { RunAs } from './run-as.ts';

const run = promisify(execFile);

const PREFIX = 'orders-postgres-';

/** Programs that PostgreSQL's account can run without a privilege. */
export interface ReachablePrograms {
  readonly binaries: PostgresBinaries;
  /** Deletes the copy, if there is one. */
  discard(): Promise<void>;
}

/**
 * Returns programs that the account can run: the installed ones, or a copy of about 60 MB in the temporary folder. A
 * copy is needed below a folder that only root can enter. PostgreSQL looks up its own path at its start and loads
 * libraries from there later, and a capability cannot be taken from a running process. Each data directory has at most
 * one copy, which belongs to root; the copy of a crashed run is deleted first. The caller holds the lock of the data
 * directory.
 *
 * @throws {EmbeddedPostgresError} the account cannot run the copy either
 */
export async function reachablePrograms(
  dataDir: string,
  binaries: PostgresBinaries,
  runAs: RunAs,
): Promise<ReachablePrograms> {
  if (!runAs.user) return { binaries, discard: () => Promise.resolve() };
  const record = join(dataDir, FILES.programs);
  const discard = async () => {
    await removeCopy(await readIfExists(record));
    await rm(record, { force: true });
  };
  await discard();
  if (await canRun(runAs, binaries.postgres)) return { binaries, discard };
  const folder = await mkdtemp(join(tmpdir(), PREFIX));
  await writeFile(record, folder, { mode: 0o600 });
  try {
    const release = dirname(dirname(binaries.postgres));
    await cp(release, join(folder, 'release'), { recursive: true, verbatimSymlinks: true });
    await run('chmod', ['-R', 'a+rX', join(folder, 'release')]);
    await chmod(folder, 0o711);
    const copied = (program: string) => join(folder, 'release', basename(dirname(program)), basename(program));
    const postgres = copied(binaries.postgres);
    if (!(await canRun(runAs, postgres))) throw new Error(`${postgres} cannot be run; set TMPDIR to another folder`);
    return { binaries: { initdb: copied(binaries.initdb), postgres }, discard };
  } catch (cause) {
    await discard();
    const message = `PostgreSQL's account cannot run PostgreSQL's programs, and they cannot be copied to ${tmpdir()}`;
    throw new EmbeddedPostgresError(`${message}: ${String(cause)}`, { cause });
  }
}

async function canRun(runAs: RunAs, postgres: string): Promise<boolean> {
  const [program, ...args] = runAs.unprivileged(postgres, ['--version']);
  return await run(program, args, { cwd: '/' }).then(
    () => true,
    () => false,
  );
}

/** Deletes a copy only if root made it: PostgreSQL's account can write the file with its path. */
async function removeCopy(folder: string | undefined): Promise<void> {
  if (folder === undefined || dirname(folder) !== tmpdir() || !basename(folder).startsWith(PREFIX)) return;
  const found = await lstat(folder).catch(() => undefined);
  if (found?.isDirectory() && found.uid === 0) await rm(folder, { recursive: true, force: true });
}
