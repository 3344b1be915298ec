import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { PostgresBinaries } from '@orders/persistence/embedded';
import { runAs } from '../../src/embedded/run-as.ts';

/** Makes the role of a stopped embedded PostgreSQL a superuser. The cluster's own superuser cannot log in. */
export async function makeSuperuser(dataDir: string, { postgres }: PostgresBinaries): Promise<void> {
  const as = await runAs(dataDir);
  const [program, ...args] = as.command(postgres, ['--single', '-D', dataDir, 'postgres']);
  const child = spawn(program, args, { cwd: '/', stdio: ['pipe', 'ignore', 'ignore'] });
  child.stdin.end('alter role orders superuser replication\n');
  await once(child, 'close');
}
