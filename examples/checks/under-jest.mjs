import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npmProject, root, run, tarball } from './outside.mjs';

/** In the versions that they are known to work with. */
const TOOLS = ['jest@30.5.2', '@babel/plugin-transform-modules-commonjs@7.29.14'];

/**
 * Runs the contracts against the store in memory under Jest, as ES modules and as CommonJS. Jest gives the modules of a
 * test a realm of their own, where `structuredClone` and the modules of Node.js make objects of another.
 */
export function underJest(name, { work }) {
  const test = `
    const open = () => {
      const { events, purgeEvents, ...store } = inMemoryStore();
      const eventsOf = async (owner) => events().filter((event) => event.owner === owner);
      return { ...store, events: eventsOf, purge: async (cutoff) => purgeEvents(cutoff) };
    };
    orderRepositoryContract({ describe, it }, open);
    customerRepositoryContract({ describe, it }, open);
    eventFeedContract({ describe, it }, open);
    checkpointsContract({ describe, it }, () => inMemoryStore().checkpoints);
    it('stores values of the realm of the test', async () => {
      const { customers } = inMemoryStore();
      const customer = aCustomer({ metadata: { a: 'b' } });
      const event = anEventOfCustomer('owner', customer);
      await customers.commit('owner', { kind: 'create', after: customer, event, key: undefined });
      expect((await customers.load('owner', customer.id))._unsafeUnwrap().aggregate).toStrictEqual(customer);
    });
    it('fails by an AssertionError that Jest can show', async () => {
      const failing = given(anOrder()).when((domain) => domain.listOrders('owner')).thenError({ type: 'none' });
      await expect(failing).rejects.toMatchObject({ name: 'AssertionError', code: 'ERR_ASSERTION' });
    });`;
  const names = `
    aCustomer, anEventOfCustomer, anOrder, checkpointsContract, customerRepositoryContract, eventFeedContract, given,
    inMemoryStore, orderRepositoryContract`;
  const readme = readFileSync(join(root, 'packages/domain/README.md'), 'utf8');
  const [, settings] = /^## CommonJS and Jest\n.*?^```json\n(.*?)^```$/ms.exec(readme);
  const kinds = {
    esm: {
      type: 'module',
      jest: { transform: {} },
      test: `import {${names} } from '@orders/domain/testing';\n${test}`,
      flags: ['--experimental-vm-modules', '--no-warnings'],
    },
    commonjs: {
      type: 'commonjs',
      jest: JSON.parse(settings),
      test: `const {${names} } = require('@orders/domain/testing');\n${test}`,
      flags: [],
    },
  };
  const { folder } = npmProject(name, work, { 'package.json': '{ "private": true }' }, tarball('domain'), ...TOOLS);
  for (const [kind, { type, jest, test: contract, flags }] of Object.entries(kinds)) {
    const inner = join(folder, kind);
    mkdirSync(inner);
    writeFileSync(join(inner, 'package.json'), JSON.stringify({ type, jest: { ...jest, testEnvironment: 'node' } }));
    writeFileSync(join(inner, 'contract.test.js'), contract);
    run({ folder: inner, work }, 'node', ...flags, '../node_modules/jest/bin/jest.js', '--silent');
  }
}
