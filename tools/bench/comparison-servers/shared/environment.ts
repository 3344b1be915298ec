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
