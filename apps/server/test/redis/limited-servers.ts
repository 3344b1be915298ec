import { type RunningServer, startServer } from '../programs/running-server.ts';
import { aDatabase as aTestDatabase } from '../programs/server-on-database.ts';

/** The visible result of a counted request. */
export interface Counted {
  /** The status; 0 without a response. */
  readonly status: number;
  /** The remaining number of requests. */
  readonly left: number;
}

/** A server whose requests are counted. */
export interface LimitedServer extends RunningServer {
  /** Reads the list of orders with a key of an owner. */
  send(key: string): Promise<Counted>;
}

/** Creates a database for several servers, until the test ends. */
export async function aDatabase() {
  const { url, apiKey } = await aTestDatabase();
  return {
    url,
    /** The key of the owner `shop`. */
    apiKey,
    /** Starts a server on the database. */
    serve: async (more: Readonly<Record<string, string>>): Promise<LimitedServer> => {
      const server = await startServer({ DATABASE_URL: url, DATA_DIR: '/nowhere', ...more });
      return { ...server, send: (key) => send(server.url, key) };
    },
  };
}

async function send(url: string, key: string): Promise<Counted> {
  const response = await fetch(`${url}/v1/orders`, { headers: { 'x-api-key': key } }).catch(() => undefined);
  await response?.arrayBuffer();
  const [, left] = /r=(\d+)/.exec(response?.headers.get('ratelimit') ?? '') ?? [];
  return { status: response?.status ?? 0, left: Number(left) };
}
