import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { endingWithParent } from '@orders/child-processes';
import { onTestFinished } from 'vitest';
import { aFreePort } from '../programs/ports.ts';
import { aFolder } from '../programs/running-server.ts';

/** A Redis on this machine. */
export interface RunningRedis {
  /** Its URL, which stays the same after a restart. */
  readonly port: number;
  readonly url: string;
  signal(signal: NodeJS.Signals): void;
  /** Ends it as a crash does. */
  kill(): Promise<void>;
}

/** Starts a Redis without persistence until the test ends, on any port or on the port of an earlier one. */
export async function startRedis(options: readonly string[] = [], onPort?: number): Promise<RunningRedis> {
  const port = onPort ?? (await aFreePort());
  const nothingKept = ['--save', '', '--appendonly', 'no', '--dir', await aFolder()];
  const where = ['--bind', '127.0.0.1', ...(options.includes('--tls-port') ? [] : ['--port', `${port}`])];
  const child = spawn(...endingWithParent('redis-server', [...where, ...nothingKept, ...options]), {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(kill);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  while (!output.includes('Ready to accept connections')) {
    const over = await Promise.race([once(child.stdout, 'data').then(() => false), ended.then(() => true)]);
    if (over) throw new Error(`redis-server ended: ${output}`);
  }
  return { port, url: `redis://127.0.0.1:${port}`, signal: (signal) => child.kill(signal), kill };
}
