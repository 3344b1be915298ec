import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environment, from, manifest, npmProject, packages, run, tarball } from './outside.mjs';

/** The oldest compiler that the packages support, as their READMEs say. */
const OLDEST = 'typescript-oldest@npm:typescript@5.7.3';

const DOORS = [
  'client',
  'client/embedded',
  'domain',
  'domain/custom',
  'domain/events',
  'domain/operators',
  'domain/runtime',
  'domain/statistics',
  'domain/testing',
  'domain/webhooks',
  'http-adapter',
  'http-adapter/settings',
  'persistence',
  'persistence/embedded',
  'persistence/testing',
  'webhooks',
].map((door) => `@orders/${door}`);

/** Checks what Node.js, a debugger and the compiler find in the packages, in one installation of all, without MikroORM. */
export function forTools(name, { work }) {
  const ranges = manifest('http-adapter').peerDependencies;
  const files = { 'package.json': '{ "private": true, "type": "module" }' };
  const place = npmProject(name, work, files, ...packages.map(tarball), from('fastify', ranges), '@types/node', OLDEST);
  coldImports(place);
  sourceMaps(place);
  // Last, because it removes packages.
  strictTypes(place);
}

/**
 * Prints how long a first import of each door takes, and how often as long as that of Fastify: medians of processes that take
 * turns, in milliseconds, less the start of Node.js.
 */
function coldImports({ folder, work }) {
  const { NODE_COMPILE_CACHE: _, ...env } = environment(work);
  const times = new Map(['node:process', 'fastify', ...DOORS].map((door) => [door, []]));
  for (let round = 0; round < 5; round += 1) {
    for (const [door, taken] of times) {
      const began = performance.now();
      const { status, stderr } = spawnSync('node', ['--input-type=module', '-e', `import '${door}'`], {
        cwd: folder,
        env,
      });
      if (status !== 0) throw new Error(`${door} cannot be imported: ${stderr}`);
      taken.push(performance.now() - began);
    }
  }
  const median = (taken) => taken.toSorted((left, right) => left - right)[2];
  const [start, fastify] = ['node:process', 'fastify'].map((door) => median(times.get(door)));
  for (const [door, taken] of times) {
    const ms = median(taken) - start;
    console.log(`  import '${door}': ${ms.toFixed(0)} ms, ${(ms / (fastify - start)).toFixed(1)} of Fastify`);
  }
}

/** What a package throws names the lines of its TypeScript, when Node.js is to follow source maps. */
function sourceMaps({ folder, work }) {
  const programs = {
    client: `import { createOrdersClient } from '@orders/client';\ncreateOrdersClient({ baseUrl: 'none' });`,
    domain: `import { createDomain } from '@orders/domain';\ncreateDomain({}).placeOrder('');`,
    'http-adapter': `import { bearerTokens } from '@orders/http-adapter';\nbearerTokens({ jwksUrl: 'none' });`,
    persistence: `import { postgresOrderRepository } from '@orders/persistence';\npostgresOrderRepository({});`,
    webhooks: `import { webhookSecrets } from '@orders/webhooks';\nwebhookSecrets([]);`,
  };
  for (const name of packages) {
    writeFileSync(join(folder, `${name}.js`), programs[name]);
    const options = { cwd: folder, encoding: 'utf8', env: environment(work) };
    const { stderr } = spawnSync('node', ['--enable-source-maps', `${name}.js`], options);
    const line = new RegExp(`@orders/${name}/src/.+\\.ts:\\d+:\\d+`).exec(stderr);
    if (!line) throw new Error(`the stack of ${name} shows no line of its source: ${stderr}`);
    console.log(`  ${line[0]}`);
  }
}

/** Compiles a program that imports every package, and looks into their declarations, too: without those of MikroORM. */
function strictTypes(place) {
  const files = {
    'doors.ts': DOORS.map((door, index) => `export * as door${index} from '${door}';\n`).join(''),
    'host.ts': `
      import { type HostOrm, type HostEntityManager, openDatabase } from '@orders/persistence';
      import { ok } from 'neverthrow';
      interface Em extends HostEntityManager { readonly shelf: 'A1' }
      export const shelf = (orm: HostOrm<Em>): PromiseLike<'A1' | undefined> =>
        openDatabase({ orm })
          .transaction(({ em }) => Promise.resolve(ok(em.shelf)))
          .unwrapOr(undefined);
      // @ts-expect-error -- the EntityManager has the type of the host's
      export const none = (orm: HostOrm<Em>) => openDatabase({ orm }).transaction(({ em }) => Promise.resolve(ok(em.row)));`,
  };
  for (const [file, content] of Object.entries(files)) writeFileSync(join(place.folder, file), content);
  for (const name of ['@mikro-orm', 'kysely', 'pg', '@types/pg'])
    rmSync(join(place.folder, 'node_modules', name), { recursive: true, force: true });
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--skipLibCheck', 'false'];
  const options = ['--noEmit', '--target', 'es2024', '--module', 'nodenext', '--types', 'node'];
  run(place, 'tsc', ...strict, ...options, ...Object.keys(files));
  // Without the library of browsers, with which declarations of a newer Node.js disagree.
  const args = [...strict, ...options, '--lib', 'es2024', ...Object.keys(files)];
  run(place, 'node', 'node_modules/typescript-oldest/bin/tsc', ...args);
}
