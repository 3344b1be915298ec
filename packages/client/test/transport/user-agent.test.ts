import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOrdersClient } from '@orders/client';
import { describe, expect, it, onTestFinished } from 'vitest';

const folder = join(import.meta.dirname, '../..');
const SENDER = 'src/transport/send.ts';

/** Returns the `User-Agent` that the client gives to `fetch`. */
async function sentUserAgent(): Promise<string | null> {
  let sent: Headers | undefined;
  const send = (_: unknown, init?: RequestInit) => {
    sent = new Headers(init?.headers);
    return Promise.resolve(Response.json({ data: [], page: { next_cursor: null } }));
  };
  const orders = createOrdersClient({ baseUrl: 'http://orders.test', fetch: send });
  expect((await orders.list().page()).isOk()).toBe(true);
  return sent?.get('user-agent') ?? null;
}

describe('the User-Agent of the client', () => {
  it('has the version of the package', async () => {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({ version: (await sentUserAgent())?.replace('orders-client/', '') });
  });

  it.each(['document', 'importScripts'])('is left to a browser, known by its global %s', async (name) => {
    Reflect.set(globalThis, name, {});
    onTestFinished(() => void Reflect.deleteProperty(globalThis, name));
    expect(await sentUserAgent()).toBe(null);
  });
});

describe('the program that writes the version of a release', () => {
  it('puts it into the User-Agent, and changes nothing else', () => {
    const version = '2.0.0-next.1';
    const copy = mkdtempSync(join(tmpdir(), 'client-version-'));
    onTestFinished(() => rmSync(copy, { recursive: true }));
    cpSync(join(folder, SENDER), join(copy, SENDER));
    writeFileSync(join(copy, 'package.json'), JSON.stringify({ version }));
    execFileSync(process.execPath, [join(folder, 'scripts/write-version.mjs'), copy]);
    const lines = (of: string) => readFileSync(join(of, SENDER), 'utf8').split('\n');
    const before = lines(folder);
    expect(lines(copy).filter((line, at) => line !== before[at])).toEqual([`const VERSION = '${version}';`]);
  });
});
