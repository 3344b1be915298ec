import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { bundlePrograms } from '@orders/bundled-programs';
import { endingWithParent } from '@orders/child-processes';
import { UNLIMITED } from '@orders/system-under-test';

/** A server that is compared. */
export interface ComparedServer {
  /** The title in the tables of the report. */
  readonly title: string;
  /** The schema of its tables. Default: that of Orders. */
  readonly schema?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Returns the entry point of its process. What it builds for this run goes to `folder`. */
  readonly script: (folder: string) => Promise<string> | string;
}

const run = promisify(execFile);
const REPOSITORY = join(import.meta.dirname, '../../../..');

/** The folder of the comparison servers, which has dependencies and a lockfile of its own. */
const FOLDER = join(REPOSITORY, 'tools/bench/comparison-servers');

const MAIN = join(REPOSITORY, 'apps/server/src/main.ts');
const schema = 'comparison';

/** Orders, and the servers that it is compared with, in the order of the tables. */
export const ORDERS: ComparedServer = {
  title: 'Orders, as shipped',
  env: UNLIMITED,
  // The image has bundles, too.
  script: async (folder) => {
    const [file] = Object.values((await bundlePrograms(join(folder, 'bundle'), [MAIN])).files);
    if (file === undefined) throw new Error('the server has no bundle');
    return file;
  },
};
export const COMPARISON_SERVERS: readonly ComparedServer[] = [
  { title: 'node:http + pg, the limit', schema, script: () => join(FOLDER, 'node-http/main.ts') },
  { title: 'Fastify + pg by hand', schema, script: () => join(FOLDER, 'fastify-pg/main.ts') },
  { title: 'Fastify + MikroORM', schema, script: () => join(FOLDER, 'fastify-mikro-orm/main.ts') },
  { title: 'Express + Prisma', schema, script: generatePrismaClient },
  { title: 'NestJS + TypeORM', schema, script: compileNest },
];

/**
 * Writes Prisma's client to `dist`. By default, the command fetches an engine for migrations, which the client does not
 * need. The path of Node.js replaces that of the engine, which is never run.
 */
async function generatePrismaClient(): Promise<string> {
  const env = {
    PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`,
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    PRISMA_HIDE_UPDATE_MESSAGE: 'true',
    CHECKPOINT_DISABLE: '1',
  };
  const model = join(FOLDER, 'express-prisma/schema.prisma');
  await run(join(FOLDER, 'node_modules/.bin/prisma'), ['generate', '--schema', model], { cwd: FOLDER, env });
  return join(FOLDER, 'express-prisma/main.mjs');
}

/** Compiles the server that uses decorators, which Node.js does not support. */
async function compileNest(): Promise<string> {
  await run(join(REPOSITORY, 'node_modules/.bin/tsc'), ['-p', join(FOLDER, 'nest-typeorm')]);
  return join(FOLDER, 'dist/nest-typeorm/nest-typeorm/main.js');
}

/**
 * Installs the dependencies of the comparison servers if they are missing. The progress of pnpm goes to standard error.
 *
 * @throws {Error} the process was not started by pnpm, or the installation failed
 */
export async function installComparisonServers(): Promise<void> {
  const pnpm = process.env['npm_execpath'];
  if (pnpm === undefined) throw new Error('start the benchmark with `pnpm bench`: it installs the comparison servers');
  const install = spawn(...endingWithParent(pnpm, ['install', '--frozen-lockfile', '--prefer-offline']), {
    cwd: FOLDER,
    // Standard output is the report's.
    stdio: ['pipe', 2, 'inherit'],
  });
  await once(install, 'exit');
  if (install.exitCode !== 0) throw new Error('the comparison servers could not be installed');
}
