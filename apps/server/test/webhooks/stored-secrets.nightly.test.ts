import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { execute } from '../../../../packages/persistence/test/fixtures/execute.ts';
import { SIGNING_KEY_FILE } from '../../src/config/webhook-settings.ts';
import { aReceiver, RESPONSE_BODY } from '../programs/a-receiver.ts';
import { placeOrder, startServer } from '../programs/running-server.ts';

/** Returns every form in which a text of base64 may be stored: as it is, without its end, in hexadecimal digits, and as bytes. */
function formsOf(base64: string): readonly Buffer[] {
  const bytes = Buffer.from(base64, 'base64');
  const texts = [base64.replace(/=+$/, ''), bytes.toString('base64url'), bytes.toString('hex')];
  return [...texts.map((text) => Buffer.from(text)), bytes];
}

/** Returns which of the hidden values `content` contains, by name. */
function found(content: Buffer, hidden: Readonly<Record<string, readonly Buffer[]>>): readonly string[] {
  return Object.entries(hidden).flatMap(([name, forms]) => (forms.some((form) => content.includes(form)) ? name : []));
}

/** Returns the address of the embedded database in a folder, as the guide says. */
async function urlOf(dataDir: string): Promise<string> {
  const port = (await readFile(join(dataDir, 'postmaster.pid'), 'utf8')).split('\n')[3];
  const password = (await readFile(join(dataDir, 'database-password'), 'utf8')).trim();
  return `postgresql://orders:${encodeURIComponent(password)}@127.0.0.1:${port}/orders`;
}

it('a server stores and logs neither secrets of webhooks nor its signing key nor what receivers respond', async () => {
  const receiver = await aReceiver();
  const server = await startServer({ WEBHOOK_ALLOW_CIDRS: '127.0.0.1', LOG_LEVEL: 'trace' });
  const send = async (path: string, method = 'POST', body?: string, headers: Readonly<Record<string, string>> = {}) =>
    await (await server.request(path, { method, headers, ...(body !== undefined && { body }) })).text();
  /** Sends a request twice with a key. Both responses have the same secret, which it returns. */
  const secretOf = async (path: string, body: string, key: string) => {
    const secretIn = (text: string) => /"secret":"whsec_([^"]+)"/.exec(text)?.[1] ?? '';
    const secret = secretIn(await send(path, 'POST', body, { 'idempotency-key': key }));
    expect(secretIn(await send(path, 'POST', body, { 'idempotency-key': key }))).toBe(secret);
    return secret;
  };
  const secrets = [await secretOf('/v1/webhook_endpoints', JSON.stringify({ url: receiver.url }), 'create')];
  const path = `/v1/webhook_endpoints/${/"id":"([^"]+)"/.exec(await send('/v1/webhook_endpoints', 'GET'))?.[1]}`;
  const deliver = async (count: number) => {
    const before = receiver.received.length;
    await placeOrder(server);
    await vi.waitUntil(() => receiver.received.length >= before + count);
  };

  await deliver(1);
  for (const key of ['first', 'second']) {
    secrets.push(await secretOf(`${path}/secrets`, '{}', key));
    await deliver(1);
  }
  await send(`${path}/tests`);
  receiver.state.rejects = true;
  await send(`${path}/tests`);
  // The second attempt comes after five seconds.
  await deliver(2);
  receiver.state.rejects = false;
  const patch = { 'content-type': 'application/merge-patch+json' };
  await send(path, 'PATCH', '{"status":"disabled"}', patch);
  await send(path, 'PATCH', '{"status":"enabled"}', patch);
  const log = await send(`${path}/deliveries`, 'GET');
  expect(log).toContain('"last_status":500');

  const signingKey = (await readFile(join(server.dataDir, SIGNING_KEY_FILE), 'utf8')).trim();
  expect(secrets.map((secret) => Buffer.from(secret, 'base64').length)).toEqual([32, 32, 32]);
  const hidden = {
    ...Object.fromEntries(secrets.map((secret, index) => [`secret ${index + 1}`, formsOf(secret)])),
    'signing key': formsOf(signingKey),
    'body of a response': [Buffer.from(RESPONSE_BODY)],
  };
  expect(found(Buffer.from(`whsec_${secrets[0]}`), hidden)).toEqual(['secret 1']);
  expect(found(Buffer.from(log), hidden)).toEqual([]);

  // All rows of all tables, as a dump has them.
  const rows = `select schema_to_xml('orders', true, false, '')::text as dump`;
  const [{ dump } = { dump: '' }] = await execute<{ dump: string }>(await urlOf(server.dataDir), rows);
  expect(dump).toContain(receiver.url);
  expect(found(Buffer.from(dump), hidden)).toEqual([]);

  const { stdout, stderr } = await server.stop();
  expect(stdout).toContain('a webhook was not accepted');
  expect(found(Buffer.from(stdout + stderr), hidden)).toEqual([]);

  // The files of the database, its write-ahead log and its own log.
  const withUrl: string[] = [];
  for await (const entry of glob('**/*', { cwd: server.dataDir, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const content = await readFile(file);
    if (content.includes(receiver.url)) withUrl.push(file);
    expect([file, found(content, hidden)]).toEqual([file, file.endsWith(SIGNING_KEY_FILE) ? ['signing key'] : []]);
  }
  expect(withUrl).toContainEqual(expect.stringContaining('pg_wal'));
  expect(withUrl).toContainEqual(expect.stringContaining('base'));
});
