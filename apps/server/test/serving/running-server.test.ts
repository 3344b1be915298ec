import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { announceServer, findServer } from '../../src/serving/running-server.ts';
import { aFolder } from '../programs/running-server.ts';

it('finds the server that runs on a folder, and no other process that got its id', async () => {
  const folder = await aFolder();
  const file = join(folder, 'server.json');
  const withdraw = await announceServer(folder, 'http://0.0.0.0:3001');
  expect(await findServer(folder)).toBe('http://127.0.0.1:3001');
  const written = await readFile(file, 'utf8');
  const others = [written.replace('"started":"', '$&1'), written.replace('"pid":', '$&1000000'), '{}', 'null', ''];
  for (const other of others) {
    await writeFile(file, other);
    expect(await findServer(folder)).toBeUndefined();
  }
  await withdraw();
  expect(await findServer(folder)).toBeUndefined();
  const withdrawNothing = await announceServer(join(folder, 'missing'), 'http://127.0.0.1:1');
  await withdrawNothing();
});
