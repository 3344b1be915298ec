import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endingWithParent } from '@orders/child-processes';
import { onTestFinished } from 'vitest';
import { aFreePort } from '../programs/ports.ts';

const CONFIGURATION = join(import.meta.dirname, '../../deploy/haproxy/haproxy.cfg');

/** The public address of servers and balancers in tests. */
export const PUBLIC_BASE_URL = 'https://api.example.com';

/** The balancer of `deploy/haproxy` on a port of this machine. */
export interface RunningBalancer {
  readonly url: string;
  /** Its complete log. */
  readonly output: () => string;
  /** Sends bytes, from `localAddress` if given, and returns all received bytes when the connection ends. */
  readonly raw: (bytes: string, localAddress?: string) => Promise<string>;
}

/** Starts the balancer in front of two servers, each `host:port`, until the test ends. */
export async function startBalancer(
  servers: readonly [string, string],
  more: Readonly<Record<string, string>> = {},
): Promise<RunningBalancer> {
  const port = await aFreePort();
  const [ORDERS_SERVER_1, ORDERS_SERVER_2] = servers;
  const env = { BIND: `127.0.0.1:${port}`, PUBLIC_BASE_URL, ORDERS_SERVER_1, ORDERS_SERVER_2, ...more };
  const output = await startProxy('haproxy', ['-db', '-f', CONFIGURATION], port, env);
  return { url: `http://127.0.0.1:${port}`, output, raw: (bytes, from) => exchange(port, bytes, from) };
}

/** Starts a proxy that listens on `port`, until the test ends. Returns its output. */
export async function startProxy(
  program: string,
  args: readonly string[],
  port: number,
  env: Readonly<Record<string, string>> = {},
): Promise<() => string> {
  const child = spawn(...endingWithParent(program, [...args]), {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  while (!(await listens(port))) {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${output}`);
    await sleep(20);
  }
  return () => output;
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const open = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return open;
}

async function exchange(port: number, bytes: string, localAddress = '127.0.0.1'): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', localAddress }).setEncoding('utf8');
  let response = '';
  socket.on('data', (text: string) => (response += text));
  socket.on('error', () => undefined); // The balancer may reset a connection that it closes.
  socket.write(bytes);
  await new Promise((resolve) => socket.once('close', resolve));
  return response;
}
