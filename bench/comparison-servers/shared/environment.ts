/** The environment of every comparison server: the database, its share of connections, and where to listen. */
export const environment = {
  databaseUrl: process.env['DATABASE_URL'] ?? '',
  poolMax: Number(process.env['DATABASE_POOL_MAX']),
  port: Number(process.env['PORT']),
} as const;
