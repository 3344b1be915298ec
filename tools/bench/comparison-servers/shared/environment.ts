/** The settings of every comparison server: the database, the size of the connection pool, and the port. */
export const environment = {
  databaseUrl: process.env['DATABASE_URL'] ?? '',
  poolMax: Number(process.env['DATABASE_POOL_MAX']),
  port: Number(process.env['PORT']),
} as const;
