import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { SOURCES } from '../programs/running-server.ts';

/** Prints the packages of all modules that a program has loaded, when it ends. */
const PRINT_LOADED = `
import { writeSync } from 'node:fs';
import { registerHooks } from 'node:module';
const loaded = new Set();
registerHooks({
  load: (url, context, next) => {
    const [, dependency, own] = /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)|\\/packages\\/([^/]+)\\/src\\//.exec(url) ?? [];
    if (dependency ?? own) loaded.add(dependency ?? '@orders/' + own);
    return next(url, context);
  },
});
process.on('exit', () => writeSync(2, 'loaded ' + JSON.stringify([...loaded].toSorted())));
`;

/** Nothing listens there: all modules of a start are loaded before it fails. */
const NOWHERE = '127.0.0.1:1';
const ENVIRONMENT = {
  ORDERS_URL: `http://${NOWHERE}`,
  ORDERS_API_KEY: 'ord_none',
  DATABASE_URL: `postgresql://nobody:none@${NOWHERE}/none`,
};

/** Starts a program from its sources, because a bundle names no packages. */
function packagesOf(script: keyof typeof SOURCES, ...args: readonly string[]): unknown {
  const hooks = `--import=data:text/javascript,${encodeURIComponent(PRINT_LOADED)}`;
  const started = ['--conditions=source', hooks, SOURCES[script], ...args];
  const { stderr } = spawnSync(process.execPath, started, { env: ENVIRONMENT, encoding: 'utf8' });
  return JSON.parse(/loaded (.*)/.exec(stderr)?.[1] ?? 'null');
}

describe('a start', () => {
  it.each([
    ['the help', ['help'], []],
    ['a command of the API', ['get', 'none'], ['@orders/client']],
  ])('loads for %s only what it uses', (_, args, more) => {
    expect(packagesOf('cli.ts', ...args)).toEqual([...more, '@orders/http-adapter', 'commander', 'neverthrow']);
  });

  it('loads for a command on the database no HTTP server, no schemas, and no MikroORM before its first statement', () => {
    const loaded = packagesOf('cli.ts', 'keys', 'list');
    expect(loaded).toContain('pg');
    for (const other of ['@mikro-orm/postgresql', 'kysely', 'fastify', 'typebox', 'jose', 'pino', 'ajv'])
      expect(loaded).not.toContain(other);
  });

  it('loads for a server nothing of what is off by default', () => {
    const loaded = packagesOf('main.ts');
    expect(loaded).toContain('fastify');
    for (const off of ['@redis/client', 'prom-client', '@opentelemetry/api', 'pino-pretty'])
      expect(loaded).not.toContain(off);
  });
});
