import { execFile } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** A server that can be measured. */
export interface SubjectDefinition {
  /** The title in the tables of the report. */
  readonly title: string;
  /** The entry point of its process. */
  readonly script: string;
  /** Options of Node.js. */
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Builds files that the server needs to start. */
  readonly build?: () => Promise<unknown>;
}

const run = promisify(execFile);
const bench = join(import.meta.dirname, '../..');

/** The folder of the comparison servers, which has dependencies and a lockfile of its own. */
export const COMPARISON_SERVERS = join(bench, 'comparison-servers');
const comparisonServer = (path: string) => join(COMPARISON_SERVERS, path);

/**
 * Writes Prisma's client to `dist`. By default, the command fetches an engine for migrations, which the client does not
 * need. The path of Node.js replaces that of the engine, which is never run.
 */
async function generatePrismaClient(): Promise<void> {
  const prisma = comparisonServer('node_modules/.bin/prisma');
  const env = {
    PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`,
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    PRISMA_HIDE_UPDATE_MESSAGE: 'true',
    CHECKPOINT_DISABLE: '1',
  };
  const schema = comparisonServer('express-prisma/schema.prisma');
  await run(prisma, ['generate', '--schema', schema], { cwd: COMPARISON_SERVERS, env });
}

/** Compiles the server that uses decorators, which Node.js does not support. */
async function compileNestServer(): Promise<void> {
  await run(join(bench, '../../node_modules/.bin/tsc'), ['-p', comparisonServer('nest-typeorm')]);
}

/** Rate limits that no load exceeds. Requests are still counted. */
export const UNLIMITED = {
  RATE_LIMIT_READ: '1000000000',
  RATE_LIMIT_WRITE: '1000000000',
  RATE_LIMIT_ANONYMOUS: '1000000000',
};

export const SUBJECTS = {
  orders: {
    title: 'Orders, as shipped',
    script: join(bench, '../../apps/server/src/main.ts'),
    environment: UNLIMITED,
  },
  fastifyPg: { title: 'Fastify + pg by hand', script: comparisonServer('fastify-pg/main.ts') },
  nodeHttp: { title: 'node:http + pg', script: comparisonServer('node-http/main.ts') },
  mikroOrm: { title: 'Fastify + MikroORM entities', script: comparisonServer('fastify-mikro-orm/main.ts') },
  expressPrisma: {
    title: 'Express + Prisma',
    script: comparisonServer('express-prisma/main.mjs'),
    build: generatePrismaClient,
  },
  nestTypeOrm: {
    title: 'NestJS + TypeORM',
    script: comparisonServer('dist/nest-typeorm/nest-typeorm/main.js'),
    build: compileNestServer,
  },
} as const satisfies Readonly<Record<string, SubjectDefinition>>;

export type SubjectName = keyof typeof SUBJECTS;

/** Every subject, in the order of the tables. */
export const SUBJECT_NAMES = [
  'orders',
  'nodeHttp',
  'fastifyPg',
  'mikroOrm',
  'expressPrisma',
  'nestTypeOrm',
] as const satisfies readonly SubjectName[];

/** The subjects that are also measured with few and with many connections. */
export const EDGE_SUBJECTS = ['orders', 'fastifyPg'] as const satisfies readonly SubjectName[];
