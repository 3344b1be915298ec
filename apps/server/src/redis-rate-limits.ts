import { once } from 'node:events';
import type { Counted, RateLimitStore } from '@orders/http-adapter';
import { type CommandParser, createClient, defineScript } from 'redis';

/** How long a connection may take to come about, in milliseconds. */
const CONNECT_MS = 2000;

/** The pause between two attempts to connect, in milliseconds. */
const RECONNECT_MS = 500;

/** How often Redis is asked whether it is there when nothing else is, in milliseconds. */
const PING_MS = 1000;

/** A connection on which nothing was sent and nothing came for so long is given up, in milliseconds. */
const SILENCE_MS = 2000;

/** How long an answer may be outstanding before nothing more is sent, in milliseconds. */
const STALLED_MS = 500;

/** The most requests that wait for Redis at once. */
const WAITING_MAX = 10_000;

/** Counts one request, in one step and by the clock of Redis. */
const COUNT_REQUEST = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `
local count = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  left = tonumber(ARGV[1])
  redis.call('PEXPIRE', KEYS[1], left)
end
return { count, left }`,
  parseCommand: (parser: CommandParser, key: string, windowMs: number) => {
    parser.pushKey(key);
    parser.push(`${windowMs}`);
  },
  transformReply: ([count, resetMs]: readonly [number, number]): Counted => ({ count, resetMs }),
});

/** A store that several servers share, and the connection it is reached by. */
export interface RedisRateLimits extends RateLimitStore {
  /** Ends the connection, whatever state it is in. */
  close(): void;
}

/**
 * Counts in the Redis at `url`. Resolves once it is connected, and also when the first attempt fails: then counting
 * rejects, and it goes on trying to connect.
 */
export async function redisRateLimits(url: string): Promise<RedisRateLimits> {
  const client = createClient({
    url,
    keyPrefix: 'orders:rate:',
    scripts: { countRequest: COUNT_REQUEST },
    disableOfflineQueue: true,
    commandsQueueMaxLength: WAITING_MAX,
    // Whoever counts does not wait for long; a timer for every command would be a second one.
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
  let unanswered = 0;
  let heardAt = 0;

  client.on('error', (error: unknown) => (reason = error));
  client.on('connect', () => {
    // The client does not end a connection that is yet to come about when it is told to end.
    if (closed) client.destroy();
  });
  client.connect().catch(() => undefined); // It rejects when it is closed before it ever connected.
  await once(client, 'ready').catch(() => undefined);
  return {
    count: async (key, windowMs) => {
      if (!client.isReady) throw new Error('there is no connection to Redis', { cause: reason });
      const time = performance.now();
      if (unanswered === 0) heardAt = time;
      // More commands would look like life on a connection that is dead.
      if (time - heardAt > STALLED_MS) throw new Error('Redis does not answer');
      unanswered += 1;
      try {
        return await client.countRequest(key, windowMs);
      } finally {
        unanswered -= 1;
        heardAt = performance.now();
      }
    },
    close: () => {
      closed = true;
      client.destroy();
    },
  };
}
