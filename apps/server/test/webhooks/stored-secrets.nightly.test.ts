import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { execute } from '../../../../packages/persistence/test/fixtures/execute.ts';
import { SIGNING_KEY_FILE } from '../../src/config/webhook-settings.ts';
import { aReceiver, RESPONSE_BODY } from './a-receiver.ts';
import { AN_ORDER, startServer } from '../programs/running-server.ts';

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

describe('a server with webhooks', () => {
  it('stores and logs neither secrets nor its signing key nor what receivers respond', async () => {
    const receiver = await aReceiver();
    const server = await startServer({ WEBHOOK_ALLOW_CIDRS: '127.0.0.1', LOG_LEVEL: 'trace' });
    const send = async (path: string, method = 'POST', body?: string, more: Readonly<Record<string, string>> = {}) => {
      const response = await server.request(path, { method, headers: more, ...(body !== undefined && { body }) });
      return { status: response.status, text: await response.text() };
    };
    const secrets: string[] = [];
    const secretIn = ({ text }: { readonly text: string }) => /"secret":"whsec_([^"]+)"/.exec(text)?.[1] ?? '';
    const create = () =>
      send('/v1/webhook_endpoints', 'POST', JSON.stringify({ url: receiver.url }), { 'idempotency-key': 'create' });
    const created = await create();
    secrets.push(secretIn(created));
    expect(secretIn(await create())).toBe(secrets[0]);
    const path = `/v1/webhook_endpoints/${/"id":"([^"]+)"/.exec(created.text)?.[1]}`;
    const deliver = async (count: number) => {
      const before = receiver.received.length;
      await send('/v1/orders', 'POST', AN_ORDER);
      await vi.waitUntil(() => receiver.received.length >= before + count);
    };

    await deliver(1);
    for (const key of ['first', 'second']) {
      const rotate = () => send(`${path}/secrets`, 'POST', '{}', { 'idempotency-key': key });
      secrets.push(secretIn(await rotate()));
      expect(secretIn(await rotate())).toBe(secrets.at(-1));
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
    expect(log.text).toContain('"last_status":500');

    const signingKey = (await readFile(join(server.dataDir, SIGNING_KEY_FILE), 'utf8')).trim();
    expect(secrets.map((secret) => Buffer.from(secret, 'base64').length)).toEqual([32, 32, 32]);
    const hidden = {
      ...Object.fromEntries(secrets.map((secret, index) => [`secret ${index + 1}`, formsOf(secret)])),
      'signing key': formsOf(signingKey),
      'body of a response': [Buffer.from(RESPONSE_BODY)],
    };
    expect(found(Buffer.from(created.text), hidden)).toEqual(['secret 1']);
    expect(found(Buffer.from(log.text), hidden)).toEqual([]);

    // All rows of all tables, as a dump has them.
    const [dump] = await execute<{ dump: string }>(
      await urlOf(server.dataDir),
      `select schema_to_xml('orders', true, false, '')::text as dump`,
    );
    expect(dump?.dump).toContain(receiver.url);
    expect(found(Buffer.from(dump?.dump ?? ''), hidden)).toEqual([]);

    const { stdout, stderr } = await server.stop();
    expect(stdout).toContain('a webhook was not accepted');
    expect(found(Buffer.from(stdout + stderr), hidden)).toEqual([]);

    // The files of the database, its write-ahead log and its own log.
    const files: string[] = [];
    for await (const entry of glob('**/*', { cwd: server.dataDir, withFileTypes: true })) {
      if (entry.isFile()) files.push(join(entry.parentPath, entry.name));
    }
    const withUrl: string[] = [];
    for (const file of files) {
      const content = await readFile(file);
      if (content.includes(receiver.url)) withUrl.push(file);
      const expected = file.endsWith(SIGNING_KEY_FILE) ? ['signing key'] : [];
      expect([file, found(content, hidden)]).toEqual([file, expected]);
    }
    expect(withUrl).toContainEqual(expect.stringContaining('pg_wal'));
    expect(withUrl).toContainEqual(expect.stringContaining('base'));
  });
});
