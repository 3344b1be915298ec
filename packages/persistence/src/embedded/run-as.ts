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
  /** Turns a command line into one that runs as that account. */
  command(program: string, args: readonly string[]): readonly [string, ...string[]];
}

/** As root: as the account that owns `dataDir` from an earlier start, else `postgres`, else `nobody`. */
export async function runAs(dataDir: string): Promise<RunAs> {
  if (getuid?.() !== 0) return { command: (program, args) => [program, ...args] };
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
  // The programs and the data may lie below a folder that only root can enter: the capability lets the account pass
  // through and read, and nothing else of root's comes along.
  // Without the secure bit, access(2), by which PostgreSQL looks for its own programs, would leave it out of account.
  const capability = [
    '--securebits=+no_setuid_fixup',
    '--inh-caps=+dac_read_search',
    '--ambient-caps=+dac_read_search',
  ];
  const identity = [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];
  return { user, command: (program, args) => ['setpriv', ...identity, ...capability, '--', program, ...args] };
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
