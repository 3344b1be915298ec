import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { Client } from 'pg';
import { type Armed, type Fault, faults } from './faults.ts';
import { relay } from './relay.ts';
import type { Statement } from './statements.ts';

/** A TCP proxy before a PostgreSQL, which tells what is executed through it and fails where it is told to. */
export interface PostgresProxy {
  /** The database of the URL that the proxy was started with, through the proxy. */
  readonly url: string;
  /** What clients asked to execute, in order, including the simple queries that begin and end transactions. */
  readonly statements: readonly Statement[];
  /** Forgets the statements so far, and the faults that still wait for theirs. */
  clear(): void;
  /**
   * Applies `fault` once, to statement number `step` from now on, counted from 1 over all connections, among those that
   * `counts` picks. Default all.
   */
  fault(step: number, fault: Fault, counts?: (statement: Statement) => boolean): Armed;
  /** Ends every connection and stops listening. */
  close(): Promise<void>;
}

/** Starts a proxy on a free port of 127.0.0.1, before the PostgreSQL of `url`; without TLS, which it could not read. */
export async function startPostgresProxy(url: string): Promise<PostgresProxy> {
  const target = new URL(url);
  const statements: Statement[] = [];
  const sockets = new Set<Socket>();
  const { judge, arm, disarm } = faults();
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
      judge: (statement) => {
        statements.push(statement);
        return judge(statement);
      },
      terminate: (pid) => terminate(url, pid),
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

/** Has a backend end itself. */
async function terminate(url: string, pid: number): Promise<void> {
  const session = new Client({ connectionString: url });
  await session.connect();
  try {
    await session.query('select pg_terminate_backend($1)', [pid]);
  } finally {
    await session.end();
  }
}
