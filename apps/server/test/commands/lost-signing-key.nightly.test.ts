import { signingKeyFingerprint } from '@orders/webhooks';
import { describe, expect, it, vi } from 'vitest';
import { aReceiver } from '../webhooks/a-receiver.ts';
import { AN_ORDER, run } from '../programs/running-server.ts';
import { aDatabase, startServerOn } from '../programs/server-on-database.ts';

const [LOST_KEY = '', NEW_KEY = ''] = ['lost', 'new'].map((text) => Buffer.alloc(32, text).toString('base64'));
const LOST = signingKeyFingerprint(LOST_KEY);

describe('pnpm orders secrets replace', () => {
  it('lets a server start without a lost key, and its endpoints receive everything under the new one', async () => {
    const database = await aDatabase();
    const receiver = await aReceiver();
    const environment = { WEBHOOK_ALLOW_CIDRS: '127.0.0.1' };
    const post = { method: 'POST' };
    const first = await startServerOn(database, { ...environment, WEBHOOK_SIGNING_KEYS: LOST_KEY });
    const created = await first.send('/v1/webhook_endpoints', { ...post, body: JSON.stringify({ url: receiver.url }) });
    const [, id = ''] = /"id":"([^"]+)"/.exec(await created.text()) ?? [];
    expect(created.status).toBe(201);
    await first.send('/v1/orders', { ...post, body: AN_ORDER });
    await vi.waitUntil(() => receiver.received.length === 1);
    await first.stop();

    const after = { ...environment, DATABASE_URL: database.url, WEBHOOK_SIGNING_KEYS: NEW_KEY };
    const refused = await run('main.ts', { ...after, PORT: '0' }).finished;
    expect(refused.stderr).toContain(
      `missing by fingerprint: ${LOST}; if one is lost, pnpm orders secrets replace FINGERPRINT replaces its secrets`,
    );
    const replace = () => run('cli.ts', after, ['secrets', 'replace', LOST]).finished;
    expect(await replace()).toEqual({
      code: 0,
      stdout: `${id} of shop is disabled\nThe secrets of 1 endpoints are replaced.\n`,
      stderr: '',
    });
    expect((await replace()).stdout).toBe('The secrets of 0 endpoints are replaced.\n');

    const second = await startServerOn(database, after);
    const path = `/v1/webhook_endpoints/${id}`;
    expect(await (await second.send(path)).json()).toMatchObject({
      status: 'disabled',
      disabled_reason: 'secret_lost',
      version: 2,
    });
    await second.send('/v1/orders', { ...post, body: AN_ORDER });
    const rotated = await (await second.send(`${path}/secrets`, { ...post, body: '{"overlap_seconds":0}' })).text();
    const [, secret = ''] = /"secret":"(whsec_[^"]+)"/.exec(rotated) ?? [];
    const headers = { 'content-type': 'application/merge-patch+json' };
    await second.send(path, { method: 'PATCH', headers, body: '{"status":"enabled"}' });
    await vi.waitUntil(() => receiver.received.length === 3);
    expect(receiver.received.slice(1).map((request) => receiver.verify(secret, request))).toMatchObject([
      { type: 'webhook_endpoint.disabled' },
      { type: 'order.placed' },
    ]);
  });

  it.each([
    ['of a key that is there', signingKeyFingerprint(NEW_KEY), 'FINGERPRINT: this key is not lost'],
    ['that is none', 'lost', 'FINGERPRINT: exactly one is required, 16 hexadecimal digits'],
  ])('rejects a fingerprint %s', async (_, fingerprint, fault) => {
    const { url } = await aDatabase();
    const environment = { DATABASE_URL: url, WEBHOOK_SIGNING_KEYS: NEW_KEY };
    const { code, stdout, stderr } = await run('cli.ts', environment, ['secrets', 'replace', fingerprint]).finished;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(fault);
  });

  it('needs a key for the new secrets', async () => {
    const { url } = await aDatabase();
    const { code, stderr } = await run('cli.ts', { DATABASE_URL: url }, ['secrets', 'replace', LOST]).finished;
    expect(code).toBe(1);
    expect(stderr).toContain('WEBHOOK_SIGNING_KEYS: must be set');
  });
});
