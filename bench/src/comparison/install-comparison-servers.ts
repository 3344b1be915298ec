import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { endingWithParent } from '@orders/child-processes';
import { COMPARISON_SERVERS } from './subjects.ts';

/**
 * Installs the dependencies of the comparison servers if they are missing. The progress of pnpm goes to standard error.
 *
 * @throws {Error} the process was not started by pnpm, or the installation failed
 */
export async function installComparisonServers(): Promise<void> {
  const pnpm = process.env['npm_execpath'];
  if (pnpm === undefined) throw new Error('start the benchmark with `pnpm bench`: it installs the comparison servers');
  const install = spawn(...endingWithParent(pnpm, ['install', '--frozen-lockfile', '--prefer-offline']), {
    cwd: COMPARISON_SERVERS,
    // Standard output is the report's.
    stdio: ['pipe', 2, 'inherit'],
  });
  await once(install, 'exit');
  if (install.exitCode !== 0) throw new Error('the comparison servers could not be installed');
}
