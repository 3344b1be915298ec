import { type DestinationStream, pino } from 'pino';

/** The settings of every comparison server: the database, the size of the connection pool, and the port. */
export const environment = {
  databaseUrl: process.env['DATABASE_URL'] ?? '',
  poolMax: Number(process.env['DATABASE_POOL_MAX']),
  port: Number(process.env['PORT']),
} as const;

/** Log serializers without headers, so that a request logs no more than it does in Orders. */
export const LEAN_LOG = {
  serializers: {
    req: ({ id, method, url }: { readonly id: unknown; readonly method: unknown; readonly url: unknown }) => ({
      id,
      method,
      url,
    }),
    res: ({ statusCode }: { readonly statusCode: unknown }) => ({ statusCode }),
  },
} as const;

/** Where logs go: in batches, because a line that is written alone costs a small request as much as its statement. */
export const LOG_STREAM: DestinationStream = pino.destination({ sync: false, minLength: 4096 });
