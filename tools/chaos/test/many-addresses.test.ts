import { mkdtemp } from 'node:fs/promises';
import { Resolver } from 'node:dns/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@orders/child-processes';
import { expect, it, onTestFinished } from 'vitest';
import { startNameServer } from '../src/hostile/many-addresses.ts';
import { setStage } from '../src/stage.ts';

it('gives a name 6,300 addresses, of which the last of each type is private', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'orders-name-server-'));
  onTestFinished(() => removeFolder(folder));
  const stage = await setStage('names', folder, { operations: 1, full: false, seed: 1 }, () => undefined);
  onTestFinished(() => stage.end());
  const nameServer = await startNameServer(stage);
  const resolver = new Resolver();
  resolver.setServers([nameServer.address]);
  const { hostname } = new URL(nameServer.url);
  const [four, six] = await Promise.all([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  expect(new Set([...four, ...six])).toHaveProperty('size', 6300);
  expect([four[0], four.at(-1), six[0], six.at(-1)]).toEqual(['93.184.0.0', '10.0.15.159', '2600::', 'fd00::8fb']);
  expect(nameServer.connections()).toBe(2);
});
