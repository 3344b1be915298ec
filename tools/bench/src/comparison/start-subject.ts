import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { endingWithParent } from '@orders/child-processes';
import type { SubjectDefinition } from './subjects.ts';

/** A server under measurement, in a process of its own. */
export interface Subject {
  readonly title: string;
  readonly port: number;
  readonly pid: number;
  /** Milliseconds from the start of the process to its first correct response. */
  readonly startMs: number;
  stop(): Promise<void>;
}

/** The longest accepted start of a server in milliseconds. */
const START_MS = 60_000;

/** Starts a server on the database, and waits for a 200 response to a request for `path`. Discards its log. */
export async function startSubject(
  { title, script, flags = [], environment = {} }: SubjectDefinition,
  databaseUrl: string,
  { path, apiKey }: { readonly path: string; readonly apiKey: string },
): Promise<Subject> {
  const port = await freePort();
  const started = performance.now();
  const child = spawn(...endingWithParent(process.execPath, ['--conditions=source', ...flags, script]), {
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      PORT: `${port}`,
      DATABASE_URL: databaseUrl,
      DATABASE_POOL_MAX: '10',
      ...environment,
    },
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const exited = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
  };
  const isReady = async () => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-api-key': apiKey } });
    await response.arrayBuffer();
    return response.status === 200;
  };
  while (!(await isReady().catch(() => false))) {
    if (child.exitCode !== null) throw new Error(`${title} ended before its first response`);
    if (performance.now() - started > START_MS) {
      await stop();
      throw new Error(`${title} does not respond to ${path} with 200`);
    }
    await sleep(5);
  }
  return { title, port, pid: child.pid ?? 0, startMs: performance.now() - started, stop };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('no port is free');
  return address.port;
}
