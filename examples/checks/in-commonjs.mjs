import { npmProject, oldestNode, packages, from, manifest, run, tarball } from './outside.mjs';

/** The compiler from which on a CommonJS program can require ES modules. */
const OLDEST_COMPILER = 'typescript-oldest@npm:typescript@5.8.3';

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
  const oldest = [OLDEST_COMPILER, `node-oldest@npm:node@${oldestNode()}`];
  const place = npmProject(name, work, files, ...packages.map(tarball), fastify, '@types/node', ...oldest);
  const options = ['--strict', '--skipLibCheck', '--target', 'es2023', '--module', 'nodenext', '--types', 'node'];
  run(place, 'node', 'node_modules/typescript-oldest/bin/tsc', ...options, 'program.ts');
  run(place, 'tsc', '--ignoreConfig', ...options, 'program.ts');
  run(place, 'node', 'program.js');
  run(place, 'node_modules/node-oldest/bin/node', 'program.js');
}
