import { npmProject, packages, from, manifest, run, tarball } from './outside.mjs';

/** The versions from which a CommonJS program can require ES modules, and the compiler knows that. */
const OLDEST = ['node22@npm:node@22.12.0', 'typescript-oldest@npm:typescript@5.8.3'];

/** Compiles a program to CommonJS, which then requires every package, by the newest and the oldest tools that do. */
export function inCommonJs(name, { work }) {
  const program = `
    import assert = require('node:assert/strict');
    import { createDomain } from '@orders/domain/runtime';
    import { inMemoryStore } from '@orders/domain/testing';
    import { createOrdersClient } from '@orders/client';
    import { bearerTokens, ordersHttp } from '@orders/http-adapter';
    import { openDatabase } from '@orders/persistence';
    import { webhookSecrets } from '@orders/webhooks';
    assert.equal(typeof module.exports, 'object');
    for (const made of [createOrdersClient, bearerTokens, ordersHttp, openDatabase, webhookSecrets])
      assert.equal(typeof made, 'function');
    const unit_price = { amount: 650, currency: 'EUR' };
    const items = [{ sku: 'TEA-100', name: 'Tea', quantity: 3, unit_price }];
    void createDomain(inMemoryStore())
      .placeOrder('shop', { items })
      .then((placed) => assert.equal(placed._unsafeUnwrap().order.total.amount, 1950));`;
  const files = { 'package.json': '{ "private": true, "type": "commonjs" }', 'program.ts': program };
  const fastify = from('fastify', manifest('http-adapter').peerDependencies);
  const place = npmProject(name, work, files, ...packages.map(tarball), fastify, '@types/node', ...OLDEST);
  const options = ['--strict', '--skipLibCheck', '--target', 'es2023', '--module', 'nodenext', '--types', 'node'];
  run(place, 'node', 'node_modules/typescript-oldest/bin/tsc', ...options, 'program.ts');
  run(place, 'tsc', '--ignoreConfig', ...options, 'program.ts');
  run(place, 'node', 'program.js');
  // The other packages need a later release.
  for (const door of ['client', 'domain/runtime', 'domain/testing'])
    run(place, 'node_modules/node22/bin/node', '-e', `require('@orders/${door}')`);
}
