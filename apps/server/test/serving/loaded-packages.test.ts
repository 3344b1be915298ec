import { describe, expect, it } from 'vitest';
import { run } from '../programs/running-server.ts';

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
const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(PRINT_LOADED)}`;

/** Nothing listens there: all modules of a start are loaded before it fails. */
const NOWHERE = '127.0.0.1:1';
const DATABASE_URL = `postgresql://nobody:none@${NOWHERE}/none`;

async function packagesOf(script: 'main.ts' | 'cli.ts', ...args: readonly string[]): Promise<unknown> {
  const environment = { ORDERS_URL: `http://${NOWHERE}`, ORDERS_API_KEY: 'ord_none', DATABASE_URL, NODE_OPTIONS };
  const { stderr } = await run(script, environment, args).finished;
  return JSON.parse(/loaded (.*)/.exec(stderr)?.[1] ?? 'null');
}

describe('a start', () => {
  it.each([
    ['the help', ['help'], []],
    ['a command of the API', ['get', 'none'], ['@orders/client']],
  ])('loads for %s only what it uses', async (_, args, more) => {
    expect(await packagesOf('cli.ts', ...args)).toEqual([...more, '@orders/http-adapter', 'neverthrow']);
  });

  it('loads for a command on the database no HTTP server, no schemas and no sender of webhooks', async () => {
    const loaded = await packagesOf('cli.ts', 'keys', 'list');
    expect(loaded).toContain('@mikro-orm/postgresql');
    for (const other of ['fastify', 'typebox', 'jose', 'pino', 'ajv', 'undici']) expect(loaded).not.toContain(other);
  });

  it('loads for a server nothing of what is off by default', async () => {
    const loaded = await packagesOf('main.ts');
    expect(loaded).toContain('fastify');
    for (const off of ['undici', '@redis/client', 'prom-client', '@opentelemetry/api', 're2js', 'pino-pretty'])
      expect(loaded).not.toContain(off);
  });
});
