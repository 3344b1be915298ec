import { execFileSync } from 'node:child_process';

/** Installs a program from its Debian package where it is missing. Without it its scenario fails. */
export function ensureInstalled(program: string, debianPackage: string): void {
  if (isInstalled(program)) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [['update'], ['install', '--yes', debianPackage]]) {
    execFileSync('apt-get', args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  if (!isInstalled(program)) throw new Error(`${program} cannot be installed`);
}

function isInstalled(program: string): boolean {
  try {
    execFileSync(program, [program === 'haproxy' ? '-v' : '--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
