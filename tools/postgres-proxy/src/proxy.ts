import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { Client } from 'pg';
import { type InjectedFault, type Fault, faults } from './faults.ts';
import { relay } from './relay.ts';
import type { Statement } from './statements.ts';

/** A TCP proxy in front of a PostgreSQL, which records the executed statements and injects faults. */
export interface PostgresProxy {
  /** The URL of the database through the proxy. */
  readonly url: string;
  /** The statements that clients executed, in order, including simple queries that begin and end transactions. */
  readonly statements: readonly Statement[];
  /** Clears the recorded statements and the faults that have not been applied yet. */
  clear(): void;
  /**
   * Applies `fault` once, to the statement number `step`. Counts from 1, over all connections, the statements for which
   * `counts` is true. Default: all statements.
   */
  fault(step: number, fault: Fault, counts?: (statement: Statement) => boolean): InjectedFault;
  /** Closes every connection and stops listening. */
  close(): Promise<void>;
}

/** Options of a proxy. */
export interface ProxyOptions {
  /** The process id that clients get in place of the backend's, as from a pooler. Default: the backend's. */
  readonly announcedPid?: number;
}

/**
 * Starts a proxy on a free port of 127.0.0.1, in front of the PostgreSQL at `url`. It supports no TLS, because it could
 * not read encrypted messages.
 */
export async function startPostgresProxy(url: string, { announcedPid }: ProxyOptions = {}): Promise<PostgresProxy> {
  const target = new URL(url);
  const statements: Statement[] = [];
  const sockets = new Set<Socket>();
  const { decide, arm, disarm } = faults();
  let connections = 0;

  const server = createServer((client) => {
    const postgres = connect(Number(target.port || 5432), target.hostname);
    connections += 1;
    for (const socket of [client, postgres]) {
      sockets.add(socket.setNoDelay());
      socket.on('close', () => sockets.delete(socket));
    }
    relay({
      number: connections,
      client,
      postgres,
      decide: (statement) => {
        statements.push(statement);
        return decide(statement);
      },
      terminate: (pid) => terminate(url, pid),
      announcedPid,
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const through = new URL(url);
  through.host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;

  return {
    url: through.href,
    statements,
    clear: () => {
      statements.length = 0;
      disarm();
    },
    fault: arm,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Ends a backend from another session. */
async function terminate(url: string, pid: number): Promise<void> {
  const session = new Client({ connectionString: url });
  await session.connect();
  try {
    await session.query('select pg_terminate_backend($1)', [pid]);
  } finally {
    await session.end();
  }
}
