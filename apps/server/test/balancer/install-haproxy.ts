import { execFileSync } from 'node:child_process';

/** Installs HAProxy where it is missing. Without it the run fails, because nothing could be tested. */
export default function installHaproxy(): void {
  if (present()) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [['update'], ['install', '--yes', 'haproxy']]) execFileSync('apt-get', args, { env });
  if (!present()) throw new Error('HAProxy cannot be installed');
}

function present(): boolean {
  try {
    execFileSync('haproxy', ['-v']);
    return true;
  } catch {
    return false;
  }
}
