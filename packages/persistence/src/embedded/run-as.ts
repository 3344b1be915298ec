import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { getuid } from 'node:process';
import { promisify } from 'node:util';
import { EmbeddedPostgresError } from './embedded-error.ts';

const run = promisify(execFile);

/** How to run PostgreSQL's programs: it refuses to run as root. */
export interface RunAs {
  /** The account to change to; absent when we are an ordinary user already. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /**
   * Turns a command line into one that runs as that account for a moment, and may read below folders that only root can
   * enter.
   */
  command(program: string, args: readonly string[]): readonly [string, ...string[]];
  /** Turns a command line into one that runs as that account, without any privilege and without a way to one. */
  unprivileged(program: string, args: readonly string[]): readonly [string, ...string[]];
}

/** As root: as the account that owns `dataDir` from an earlier start, else `postgres`, else `nobody`. */
export async function runAs(dataDir: string): Promise<RunAs> {
  if (getuid?.() !== 0) {
    const itself: RunAs['command'] = (program, args) => [program, ...args];
    return { command: itself, unprivileged: itself };
  }
  const user = (await ownerOf(dataDir)) ?? (await account('postgres')) ?? (await account('nobody'));
  if (!user)
    throw new EmbeddedPostgresError('PostgreSQL cannot run as root, and there is no account postgres or nobody');
  try {
    await run('setpriv', ['--version']);
  } catch (cause) {
    throw new EmbeddedPostgresError(
      'PostgreSQL cannot run as root, and setpriv (util-linux) is not there to run it as another user',
      { cause },
    );
  }
  // The programs and the data may lie below a folder that only root can enter: the capability lets what makes a cluster
  // pass through and read, and nothing else of root's comes along. What stays running does without.
  // Without the secure bit, access(2), by which PostgreSQL looks for its own programs, would leave it out of account.
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
    return undefined; // Not there yet.
  }
}

async function account(name: string): Promise<{ uid: number; gid: number } | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return undefined; // No such account.
  }
}
