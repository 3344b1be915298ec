import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';

/** What Debian runs before it starts a service. */
const POLICY = '/usr/sbin/policy-rc.d';

/** Installs the proxies that are missing, and starts none. Without them the run fails, because nothing could be tested. */
export default function installProxies(): void {
  const missing = ['haproxy', 'nginx', 'apache2'].filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const isFree = !existsSync(POLICY);
  if (isFree) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    for (const args of [['update'], ['install', '--yes', '--no-install-recommends', ...missing]])
      execFileSync('apt-get', args, { env });
  } finally {
    if (isFree) rmSync(POLICY);
  }
  if (!missing.every(isInstalled)) throw new Error(`${missing.join(', ')} cannot be installed`);
}

function isInstalled(name: string): boolean {
  try {
    execFileSync(name, ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
