import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdtemp } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { removeFolder } from '@orders/child-processes';
import { openDatabase } from '@orders/persistence';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@orders/persistence/embedded';
import { embeddedBinaries } from '../../src/embedded/binaries.ts';
import { makeSuperuser } from '../embedded/make-superuser.ts';

const run = promisify(execFile);

/** A primary with the schema, and a standby that streams from it. Their role is a superuser. */
export interface StreamingPair {
  readonly primary: EmbeddedPostgres;
  readonly standby: EmbeddedPostgres;
  /** Ends the replication stream from the primary to the standby, and prevents a new one. */
  readonly cutStream: () => void;
  readonly restoreStream: () => void;
  readonly stop: () => Promise<void>;
}

/** Starts a primary and a standby of it. */
export async function startStreamingPair(): Promise<StreamingPair> {
  const folder = await mkdtemp(join(tmpdir(), 'orders-standby-'));
  const [dataDir, standbyDir] = [join(folder, 'primary'), join(folder, 'standby')];
  const first = await startEmbeddedPostgres({ dataDir });
  const database = openDatabase({ url: first.url });
  await database.migrate();
  await database.close();
  await first.stop();
  await makeSuperuser(dataDir, await embeddedBinaries());
  await appendFile(join(dataDir, 'pg_hba.conf'), 'host replication orders 127.0.0.1/32 scram-sha-256\n');
  await run('cp', ['-a', dataDir, standbyDir]);
  // Copies a file of the folder, so that the copy belongs to the same account.
  await run('cp', ['-a', join(dataDir, 'PG_VERSION'), join(standbyDir, 'standby.signal')]);
  const primary = await startEmbeddedPostgres({ dataDir });
  const stream = await movableName(primary.url);
  const { hostname, port, username, password } = new URL(stream.url);
  const primary_conninfo = `host=${hostname} port=${port} user=${username} password=${password}`;
  const standby = await startEmbeddedPostgres({ dataDir: standbyDir, settings: { primary_conninfo } });
  return {
    primary,
    standby,
    cutStream: () => {
      stream.moveTo('postgresql://127.0.0.1:1');
      stream.cut();
    },
    restoreStream: () => stream.moveTo(primary.url),
    stop: async () => {
      await standby.stop();
      await stream.close();
      await primary.stop();
      await removeFolder(folder);
    },
  };
}

/** A host name for a server, which can be redirected to another one. */
export interface MovableName {
  readonly url: string;
  /** Redirects new connections to the server of `url`; open connections stay. */
  readonly moveTo: (url: string) => void;
  /** Closes all open connections. */
  readonly cut: () => void;
  readonly close: () => Promise<void>;
}

export async function movableName(url: string): Promise<MovableName> {
  let target = new URL(url);
  const sockets = new Set<Socket>();
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    const postgres = connect(Number(target.port), target.hostname);
    for (const [socket, other] of [[client, postgres] as const, [postgres, client] as const]) {
      sockets.add(socket);
      socket.pipe(other);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const named = new URL(url);
  named.port = `${typeof address === 'object' ? address?.port : ''}`;
  return {
    url: named.href,
    moveTo: (other) => {
      target = new URL(other);
    },
    cut,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      cut();
      await closed;
    },
  };
}
