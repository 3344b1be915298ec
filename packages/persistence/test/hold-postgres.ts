import { startEmbeddedPostgres } from '@orders/persistence/embedded';

/** A program that starts a PostgreSQL in the folder it is given, says where, and stays until it is ended. */
const postgres = await startEmbeddedPostgres({ dataDir: process.argv[2] ?? '' });
process.stdout.write(`${postgres.url}\n`);
setInterval(() => undefined, 1000);
