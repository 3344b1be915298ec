import { once } from 'node:events';
import type { Charge, Counted, RateLimitStore } from '@orders/http-adapter';
import { type CommandParser, createClient, defineScript } from '@redis/client';

/** Maximum time to establish a connection, in milliseconds. */
const CONNECT_MS = 2000;

/** The pause between two attempts to connect, in milliseconds. */
const RECONNECT_MS = 500;

/** The interval of pings on an idle connection, in milliseconds. */
const PING_MS = 1000;

/** A connection without traffic for this time is closed, in milliseconds. */
const SILENCE_MS = 2000;

/** Maximum time for an outstanding response before further commands are held back, in milliseconds. */
const STALLED_MS = 500;

/** Maximum number of requests that wait for Redis at the same time. */
const WAITING_MAX = 10_000;

/** Counts a charge atomically, by the clock of Redis. */
const COUNT = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `
local count = tonumber(redis.call('GET', KEYS[1]) or '0') + tonumber(ARGV[2])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  left = tonumber(ARGV[1])
end
if count <= tonumber(ARGV[3]) then
  redis.call('SET', KEYS[1], count, 'PX', left)
end
return { count, left }`,
  parseCommand: (parser: CommandParser, key: string, windowMs: number, { cost, quota }: Charge) => {
    parser.pushKey(key);
    parser.push(`${windowMs}`, `${cost}`, `${quota}`);
  },
  transformReply: ([count, resetMs]: readonly [number, number]): Counted => ({ count, resetMs }),
});

/** A rate limit store that several servers share, and its connection. */
export interface RedisRateLimits extends RateLimitStore {
  /** Closes the connection in any state. */
  close(): void;
}

/**
 * Counts in the Redis at `url`. Resolves when it is connected or when the first attempt has failed. Then counting
 * rejects, and it continues to try to connect.
 */
export async function redisRateLimits(url: string): Promise<RedisRateLimits> {
  const client = createClient({
    url,
    keyPrefix: 'orders:rate:',
    scripts: { countCharge: COUNT },
    disableOfflineQueue: true,
    commandsQueueMaxLength: WAITING_MAX,
    // Callers have a time limit of their own, so the client needs no timer per command.
    commandOptions: { timeout: 0 },
    maintNotifications: 'disabled',
    pingInterval: PING_MS,
    socket: {
      connectTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
      reconnectStrategy: RECONNECT_MS,
    },
  });
  let reason: unknown;
  let closed = false;
  let pending = 0;
  let heardAt = 0;

  client.on('error', (error: unknown) => (reason = error));
  client.on('connect', () => {
    // The client does not close a connection that is still being established.
    if (closed) client.destroy();
  });
  client.connect().catch(() => undefined); // `connect` rejects when the client is closed before it first connected.
  await once(client, 'ready').catch(() => undefined);
  return {
    count: async (key, windowMs, charge) => {
      if (!client.isReady) throw new Error('no connection to Redis', { cause: reason });
      const time = performance.now();
      if (pending === 0) heardAt = time;
      // Further commands would count as traffic on a dead connection.
      if (time - heardAt > STALLED_MS) throw new Error('Redis does not respond');
      pending += 1;
      try {
        return await client.countCharge(key, windowMs, charge);
      } finally {
        pending -= 1;
        heardAt = performance.now();
      }
    },
    close: () => {
      closed = true;
      client.destroy();
    },
  };
}
