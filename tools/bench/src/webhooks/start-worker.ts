import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { endingWithParent } from '@orders/child-processes';

/** A worker of webhooks in a process of its own. */
export interface StartedWorker {
  readonly pid: number;
  stop(): Promise<void>;
}

const CLI = join(import.meta.dirname, '../../../../apps/server/src/cli.ts');

/** Starts `orders webhooks` on the database, and waits until it delivers. Discards the rest of its log. */
export async function startWorker(
  databaseUrl: string,
  environment: Readonly<Record<string, string>>,
): Promise<StartedWorker> {
  const child = spawn(...endingWithParent(process.execPath, ['--conditions=source', CLI, 'webhooks']), {
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', DATABASE_URL: databaseUrl, ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const delivering = Promise.withResolvers<void>();
  let log = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (log.includes('delivering webhooks')) return;
    log += text;
    if (log.includes('delivering webhooks')) delivering.resolve();
  });
  const early = exited.then(() => Promise.reject(new Error(`the worker ended early: ${log}`)));
  early.catch(() => undefined); // It also ends in `stop`.
  await Promise.race([delivering.promise, early]);
  return {
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
