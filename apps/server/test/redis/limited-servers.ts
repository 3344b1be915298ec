import { type RunningServer, startServer } from '../running-server.ts';
import { aDatabase as aTestDatabase } from '../server-on-database.ts';

/** What a client sees of a request that is counted. */
export interface Asked {
  /** 0 when there was no answer. */
  readonly status: number;
  /** How much is left. */
  readonly left: number;
  readonly tookMs: number;
}

/** A server whose requests are counted. */
export interface LimitedServer extends RunningServer {
  /** Reads the list of orders with a key of an owner. */
  ask(key: string): Promise<Asked>;
}

/** A database that several servers use, until the test is finished. */
export async function aDatabase() {
  const { url, apiKey } = await aTestDatabase();
  return {
    /** Of the owner `shop`. */
    apiKey,
    /** Starts a server on it. */
    serve: async (more: Readonly<Record<string, string>>): Promise<LimitedServer> => {
      const server = await startServer({ DATABASE_URL: url, DATA_DIR: '/nowhere', ...more });
      return { ...server, ask: (key) => ask(server.url, key) };
    },
  };
}

async function ask(url: string, key: string): Promise<Asked> {
  const begun = performance.now();
  const answer = await fetch(`${url}/v1/orders`, { headers: { 'x-api-key': key } }).catch(() => undefined);
  await answer?.arrayBuffer();
  const [, left] = /r=(\d+)/.exec(answer?.headers.get('ratelimit') ?? '') ?? [];
  return { status: answer?.status ?? 0, left: Number(left), tookMs: performance.now() - begun };
}
