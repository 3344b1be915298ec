import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { embeddedBinaries } from '../src/embedded/binaries.ts';

/**
 * A program that starts a PostgreSQL in the folder it is given, says where, and stays until it is ended or its input
 * ends, as with the program that started it. The package that brings the PostgreSQL may follow.
 */
process.stdin.resume().on('end', () => process.exit());
const [dataDir = '', packageName] = process.argv.slice(2);
const postgres = await startEmbeddedPostgres({ dataDir, binaries: await embeddedBinaries(packageName) });
process.stdout.write(`${postgres.url}\n`);
