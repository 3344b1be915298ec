import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { z } from 'zod';
import type { Case } from '../cases/case.ts';
import { startSubject, type Subject } from '../comparison/start-subject.ts';
import { UNLIMITED } from '../comparison/subjects.ts';
import { placeOrders } from '../load/place-orders.ts';

/** What the cases need. An older checkout rejects scopes that it does not know. */
const SCOPES_OF_ORDERS = 'orders:read,orders:write';

/** A checkout of this repository, served on a database of its own. */
export interface Revision {
  readonly title: string;
  /** The server of the last start. */
  readonly subject: Subject;
  readonly keys: Readonly<Record<'reader' | 'writer', string>>;
  /** Orders of the reader; the first one is the newest. */
  readonly ids: readonly string[];
  /** Places orders of the writer by the requests of a case. Default: {@link CASES.create}. Returns their ids. */
  place(count: number, placing?: Case): Promise<readonly string[]>;
  /** Ends the server and starts another one. */
  restart(): Promise<void>;
  /** Does the work of autovacuum, which is off. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

const Manifest = z.object({ scripts: z.record(z.string(), z.string()) });
const Placed = z.object({ id: z.string() });
const Page = z.object({ data: z.array(Placed) });

const run = promisify(execFile);

/**
 * Several threads that collect garbage wait for one another by spinning. On a machine with few cores that takes as long
 * as the collection itself or not at all, by chance.
 */
export const SINGLE_THREADED_GC = ['--single-threaded-gc'];

/**
 * Starts the server of the checkout in `folder`. Uses only what every revision has: the scripts `start` and `orders`,
 * environment variables, and the API. The schema may differ from one revision to the next.
 *
 * @throws when the checkout has no such scripts, or its dependencies are not installed
 */
export async function startRevision(
  title: string,
  folder: string,
  postgresUrl: string,
  orders: number,
): Promise<Revision> {
  const client = await createDatabase(postgresUrl, title);
  const database = databaseUrl(postgresUrl, title);
  let subject: Subject | undefined;
  const close = async () => {
    await subject?.stop();
    await client.end();
  };
  try {
    const scripts = await readScripts(folder);
    await runScript(folder, scripts.orders, ['migrate'], database);
    const issueKey = async (owner: string): Promise<string> => {
      const create = ['keys', 'create', '--owner', owner, '--scopes', SCOPES_OF_ORDERS];
      return (await runScript(folder, scripts.orders, create, database)).trim();
    };
    const keys = { reader: await issueKey('bench-reader'), writer: await issueKey('bench-writer') };
    const definition = {
      title,
      script: join(folder, scriptFile(scripts.start)),
      flags: SINGLE_THREADED_GC,
      environment: UNLIMITED,
    };
    const start = () => startSubject(definition, database, { path: '/v1/orders', apiKey: keys.reader });
    let current = (subject = await start());
    return {
      title,
      get subject() {
        return current;
      },
      keys,
      ids: await placeReaders(current.port, keys.reader, orders),
      place: (count, placing) => placeOrders(current.port, [keys.writer], count, placing),
      restart: async () => {
        await current.stop();
        current = subject = await start();
      },
      settle: async () => {
        await client.query('vacuum analyze');
      },
      close,
    };
  } catch (cause) {
    await close();
    throw cause;
  }
}

async function createDatabase(postgresUrl: string, name: string): Promise<Client> {
  const admin = new Client({ connectionString: postgresUrl });
  await admin.connect();
  try {
    await admin.query(`create database ${admin.escapeIdentifier(name)}`);
  } finally {
    await admin.end();
  }
  const client = new Client({ connectionString: databaseUrl(postgresUrl, name) });
  await client.connect();
  return client;
}

function databaseUrl(postgresUrl: string, name: string): string {
  const url = new URL(postgresUrl);
  url.pathname = name;
  return url.href;
}

async function readScripts(folder: string): Promise<{ readonly start: string; readonly orders: string }> {
  const manifest: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const { start, orders } = Manifest.parse(manifest).scripts;
  if (start === undefined || orders === undefined) throw new Error(`${folder} has no scripts "start" and "orders"`);
  return { start, orders };
}

/** Returns the file that a script runs, which is its last word. */
function scriptFile(script: string): string {
  return script.split(' ').at(-1) ?? '';
}

async function runScript(folder: string, script: string, args: readonly string[], database: string): Promise<string> {
  const [, ...words] = script.split(' ');
  const { stdout } = await run(process.execPath, [...words, ...args], {
    cwd: folder,
    env: {
      PATH: `${join(folder, 'node_modules/.bin')}${delimiter}${process.env['PATH'] ?? ''}`,
      DATABASE_URL: database,
    },
  });
  return stdout;
}

/** Places orders of the reader. Returns their ids, the newest one first. */
async function placeReaders(port: number, apiKey: string, count: number): Promise<readonly string[]> {
  const ids = await placeOrders(port, [apiKey], count);
  const response = await fetch(`http://127.0.0.1:${port}/v1/orders?limit=1`, { headers: { 'x-api-key': apiKey } });
  const [newest] = Page.parse(await response.json()).data;
  return newest ? [newest.id, ...ids.filter((id) => id !== newest.id)] : ids;
}
