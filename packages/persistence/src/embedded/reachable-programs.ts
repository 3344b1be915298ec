import { execFile } from 'node:child_process';
import { chmod, cp, lstat, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { PostgresBinaries } from './binaries.ts';
import { FILES, readIfThere } from './data-dir.ts';
import { EmbeddedPostgresError } from './embedded-error.ts';
import type { RunAs } from './run-as.ts';

const run = promisify(execFile);

const PREFIX = 'orders-postgres-';

/** Programs that the account which PostgreSQL runs as can reach without a privilege. */
export interface ReachablePrograms {
  readonly binaries: PostgresBinaries;
  /** Removes what was made to reach them. */
  discard(): Promise<void>;
}

/**
 * The programs themselves where the account can run them. Otherwise, as below a folder that only root can enter, a copy
 * of about 60 MB in the folder for temporary files, which belongs to root: PostgreSQL looks up its own path when it
 * starts, and loads libraries by it later, and a running process cannot be relieved of a capability from outside. There
 * is one copy for each data directory: one that a crash left is removed first. The caller holds the directory's lock.
 *
 * @throws {EmbeddedPostgresError} the copy cannot be run either
 */
export async function reachablePrograms(
  dataDir: string,
  binaries: PostgresBinaries,
  runAs: RunAs,
): Promise<ReachablePrograms> {
  if (!runAs.user) return { binaries, discard: () => Promise.resolve() };
  const record = join(dataDir, FILES.programs);
  const discard = async () => {
    await removeCopy(await readIfThere(record));
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
    const why = `PostgreSQL's programs lie where its account cannot go, and cannot be copied to ${tmpdir()}`;
    throw new EmbeddedPostgresError(`${why}: ${String(cause)}`, { cause });
  }
}

async function canRun(runAs: RunAs, postgres: string): Promise<boolean> {
  const [program, ...args] = runAs.unprivileged(postgres, ['--version']);
  return await run(program, args, { cwd: '/' }).then(
    () => true,
    () => false,
  );
}

/** Removes a copy of ours: the record lies where PostgreSQL can write, and root removes nothing else by it. */
async function removeCopy(folder: string | undefined): Promise<void> {
  if (folder === undefined || dirname(folder) !== tmpdir() || !basename(folder).startsWith(PREFIX)) return;
  const found = await lstat(folder).catch(() => undefined);
  if (found?.isDirectory() && found.uid === 0) await rm(folder, { recursive: true, force: true });
}
