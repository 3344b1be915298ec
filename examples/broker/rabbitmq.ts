import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

/** A RabbitMQ in a folder, which can be killed and started again. */
export interface RabbitMq {
  readonly url: string;
  start(): void;
  kill(): Promise<void>;
  /** Kills it, and ends the name service that it has started. */
  stop(): Promise<void>;
}

/** Debian's command for all changes the account. */
const DEBIAN = '/usr/lib/rabbitmq/bin/rabbitmq-server';

/** Returns a RabbitMQ that is not started yet. It has no account, port or file in common with another one. */
export async function rabbitMqIn(folder: string): Promise<RabbitMq> {
  const [port, distribution, names] = [await freePort(), await freePort(), await freePort()].map(String);
  const env = {
    ...process.env,
    HOME: folder,
    ERL_EPMD_ADDRESS: '127.0.0.1',
    ERL_EPMD_PORT: names,
    RABBITMQ_NODENAME: `orders-${port}@localhost`,
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_NODE_PORT: port,
    RABBITMQ_DIST_PORT: distribution,
    RABBITMQ_MNESIA_BASE: join(folder, 'data'),
    RABBITMQ_LOG_BASE: join(folder, 'log'),
    RABBITMQ_CONF_ENV_FILE: '/dev/null',
    RABBITMQ_CONFIG_FILE: join(folder, 'none'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'no-plugins'),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
  };
  let server: ChildProcess | undefined;
  const kill = async (): Promise<void> => {
    if (!server?.pid || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    // It is a script, and the server that it runs.
    process.kill(-server.pid, 'SIGKILL');
    await ended;
  };
  process.on('exit', () => void kill());
  return {
    url: `amqp://guest:guest@127.0.0.1:${port}`,
    start: () => {
      server = spawn(existsSync(DEBIAN) ? DEBIAN : 'rabbitmq-server', { env, detached: true, stdio: 'ignore' });
    },
    kill,
    stop: async () => {
      await kill();
      execFileSync('epmd', ['-port', String(names), '-kill'], { stdio: 'ignore' });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (typeof address !== 'object' || !address) throw new Error('a server without an address');
  return address.port;
}
