import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { embeddedBinaries } from '../../src/embedded/binaries.ts';

/**
 * A program that starts a PostgreSQL in the given folder, prints its URL, and runs until it is ended or its input ends,
 * as it does when its parent ends. An optional second argument is the package of the PostgreSQL, or the path of its module.
 */
process.stdin.resume().on('end', () => process.exit());
const [dataDir = '', packageName] = process.argv.slice(2);
const postgres = await startEmbeddedPostgres({ dataDir, binaries: await embeddedBinaries(packageName) });
process.stdout.write(`${postgres.url}\n`);
