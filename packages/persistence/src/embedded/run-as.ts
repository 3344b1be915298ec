import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { getuid } from 'node:process';
import { promisify } from 'node:util';
import { EmbeddedPostgresError } from './embedded-error.ts';

const run = promisify(execFile);

/** The account for PostgreSQL's programs, which refuse to run as root. */
export interface RunAs {
  /** The account to change to; absent when this process is not root. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /**
   * Returns a command line that runs as that account for a moment, with read access below folders that only root can
   * enter.
   */
  command(program: string, args: readonly string[]): readonly [string, ...string[]];
  /** Returns a command line that runs as that account, without any privilege and without a way to gain one. */
  unprivileged(program: string, args: readonly string[]): readonly [string, ...string[]];
}

/**
 * Selects the account. For root: the account that owns `dataDir` from an earlier start, else `postgres`, else `nobody`.
 *
 * @throws {EmbeddedPostgresError} there is no such account, or no `setpriv`
 */
export async function runAs(dataDir: string): Promise<RunAs> {
  if (getuid?.() !== 0) {
    const itself: RunAs['command'] = (program, args) => [program, ...args];
    return { command: itself, unprivileged: itself };
  }
  const user = (await ownerOf(dataDir)) ?? (await account('postgres')) ?? (await account('nobody'));
  if (!user)
    throw new EmbeddedPostgresError(
      'PostgreSQL cannot run as root, and the accounts postgres and nobody do not exist: create one, or set DATABASE_URL',
    );
  try {
    await run('setpriv', ['--version']);
  } catch (cause) {
    throw new EmbeddedPostgresError(
      'PostgreSQL cannot run as root, and setpriv (util-linux) is missing, which would run it as another account: install it, or set DATABASE_URL',
      { cause },
    );
  }
  // The programs and the data may be below a folder that only root can enter. The capability lets the short-lived
  // programs read there, and grants nothing else of root's. The long-lived server runs without it. Without the secure
  // bit, access(2), which PostgreSQL uses to find its own programs, would ignore the capability.
  const capability = [
    '--securebits=+no_setuid_fixup',
    '--inh-caps=+dac_read_search',
    '--ambient-caps=+dac_read_search',
  ];
  const identity = [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];
  const none = ['--inh-caps=-all', '--ambient-caps=-all', '--no-new-privs'];
  return {
    user,
    command: (program, args) => ['setpriv', ...identity, ...capability, '--', program, ...args],
    unprivileged: (program, args) => ['setpriv', ...identity, ...none, '--', program, ...args],
  };
}

async function ownerOf(dataDir: string): Promise<{ uid: number; gid: number } | undefined> {
  try {
    const { uid, gid } = await stat(dataDir);
    return uid === 0 ? undefined : { uid, gid };
  } catch {
    return undefined; // It does not exist yet.
  }
}

async function account(name: string): Promise<{ uid: number; gid: number } | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return undefined; // The account does not exist.
  }
}
