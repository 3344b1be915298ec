import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { embeddedBinaries } from '../src/embedded/binaries.ts';

/**
 * A program that starts a PostgreSQL in the folder it is given, says where, and stays until it is ended. The package
 * that brings the PostgreSQL may follow.
 */
const [dataDir = '', packageName] = process.argv.slice(2);
const postgres = await startEmbeddedPostgres({ dataDir, binaries: await embeddedBinaries(packageName) });
process.stdout.write(`${postgres.url}\n`);
setInterval(() => undefined, 1000);
