import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { createDatabase, UNLIMITED } from '@orders/system-under-test';
import { z } from 'zod';
import type { Bench, BenchPostgres } from '../bench.ts';
import { placeReaders, type Subject } from '../subject.ts';

/** What the cases need. An older checkout rejects scopes that it does not know. */
const SCOPES_OF_ORDERS = 'orders:read,orders:write';

/**
 * Several threads that collect garbage wait for one another by spinning. On a machine with few cores that takes as long
 * as the collection itself or not at all, by chance.
 */
const SINGLE_THREADED_GC = ['--single-threaded-gc'];

const Manifest = z.object({ scripts: z.object({ start: z.string(), orders: z.string() }) });

const run = promisify(execFile);

/**
 * Starts the server of the checkout in `folder` on a database of its own. Uses only what every revision has: the scripts
 * `start` and `orders`, environment variables, and the API. The schema may differ from one revision to the next.
 *
 * @throws when the checkout has no such scripts, or its dependencies are not installed
 */
export async function startCheckout(
  bench: Bench,
  postgres: BenchPostgres,
  title: string,
  folder: string,
  orders: number,
  flags: readonly string[] = [],
): Promise<Subject> {
  bench.progress.step(`${title}: ${folder}`);
  const databaseUrl = await createDatabase(postgres.url, title);
  const { scripts } = Manifest.parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')));
  const env = {
    PATH: `${join(folder, 'node_modules/.bin')}${delimiter}${process.env['PATH'] ?? ''}`,
    DATABASE_URL: databaseUrl,
  };
  // The file that a script runs is its last word, from the folder of the checkout.
  const fileOf = (script: string) =>
    join(
      folder,
      script
        .split(' ')
        .at(-1)
        ?.replaceAll(/"|\$OLDPWD\//g, '') ?? '',
    );
  const runOrders = async (...args: readonly string[]): Promise<string> => {
    const words = ['--conditions=source', fileOf(scripts.orders), ...args];
    return (await run(process.execPath, words, { cwd: folder, env })).stdout.trim();
  };
  await runOrders('migrate');
  const issueKey = (owner: string) => runOrders('keys', 'create', '--owner', owner, '--scopes', SCOPES_OF_ORDERS);
  const keys = { reader: [await issueKey('bench-reader')], writer: [await issueKey('bench-writer')] };
  const [reader = ''] = keys.reader;
  const options = {
    databaseUrl,
    script: fileOf(scripts.start),
    env: { ...UNLIMITED, DATABASE_POOL_MAX: '10' },
    probe: { path: '/v1/orders', headers: { 'x-api-key': reader } },
  };
  const server = await bench.serve({ ...options, flags: [...SINGLE_THREADED_GC, ...flags] });
  const placer = await bench.serve(options);
  const ids = await placeReaders(server, reader, orders);
  const client = await bench.connect(databaseUrl);
  return { title, server, placer, postgres: postgres.pid, keys, ids, settle: () => client.query('vacuum analyze') };
}
