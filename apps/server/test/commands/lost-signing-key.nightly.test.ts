import { openDatabase } from '@orders/persistence';
import { signingKeyFingerprint } from '@orders/webhooks';
import { describe, expect, it, vi } from 'vitest';
import { requireKeysInUse } from '../../src/config/webhook-settings.ts';
import { aReceiver, subscribe } from '../programs/a-receiver.ts';
import { AN_ORDER, run } from '../programs/running-server.ts';
import { aDatabase, startServerOn } from '../programs/server-on-database.ts';

const [LOST_KEY = '', NEW_KEY = ''] = ['lost', 'new'].map((text) => Buffer.alloc(32, text).toString('base64'));
const LOST = signingKeyFingerprint(LOST_KEY);
const WEBHOOKS = { WEBHOOK_ALLOW_CIDRS: '127.0.0.1' };

describe('a server with webhooks', () => {
  it('does not start without a key in use until the secrets are replaced; endpoints get everything under new ones', async () => {
    const [database, receiver] = [await aDatabase(), await aReceiver()];
    const place = { method: 'POST', body: AN_ORDER };
    const first = await startServerOn(database, { ...WEBHOOKS, WEBHOOK_SIGNING_KEYS: LOST_KEY });
    const { id, path } = await subscribe(first, receiver);
    await first.request('/v1/orders', place);
    await vi.waitUntil(() => receiver.received.length === 1);
    await first.stop();

    const after = { ...WEBHOOKS, DATABASE_URL: database.url, WEBHOOK_SIGNING_KEYS: NEW_KEY };
    const refused = await run('main.ts', { ...after, PORT: '0' }).finished;
    expect(refused).toMatchObject({
      code: 1,
      stderr: `orders: WEBHOOK_SIGNING_KEYS: must contain the keys of all secrets in use; missing by fingerprint: ${LOST}; if one is lost, pnpm orders secrets replace FINGERPRINT replaces its secrets\n`,
    });
    const both = await startServerOn(database, { ...WEBHOOKS, WEBHOOK_SIGNING_KEYS: `${NEW_KEY},${LOST_KEY}` });
    const { stdout, stderr } = await both.stop();
    for (const key of [LOST_KEY, NEW_KEY]) expect(refused.stdout + stdout + stderr).not.toContain(key);

    const replace = () => run('cli.ts', after, ['secrets', 'replace', LOST]).finished;
    expect(await replace()).toEqual({
      code: 0,
      stdout: `${id} of shop is disabled\nThe secrets of 1 endpoints are replaced.\n`,
      stderr: '',
    });
    expect((await replace()).stdout).toBe('The secrets of 0 endpoints are replaced.\n');

    const second = await startServerOn(database, after);
    expect(await (await second.request(path)).json()).toMatchObject({
      status: 'disabled',
      disabled_reason: 'secret_lost',
      version: 2,
    });
    await second.request('/v1/orders', place);
    const rotation = { method: 'POST', body: '{"overlap_seconds":0}' };
    const rotated = await (await second.request(`${path}/secrets`, rotation)).text();
    const [, secret = ''] = /"secret":"(whsec_[^"]+)"/.exec(rotated) ?? [];
    const headers = { 'content-type': 'application/merge-patch+json' };
    await second.request(path, { method: 'PATCH', headers, body: '{"status":"enabled"}' });
    await vi.waitUntil(() => receiver.received.length === 3);
    expect(receiver.received.slice(1).map((request) => receiver.verify(secret, request))).toMatchObject([
      { type: 'webhook_endpoint.disabled' },
      { type: 'order.placed' },
    ]);
  });

  it('does not start when its endpoints cannot be read', async () => {
    const unreachable = openDatabase({ url: 'postgresql://orders@127.0.0.1:1/orders' });
    await expect(requireKeysInUse(unreachable, [NEW_KEY], () => undefined)).rejects.toThrow(
      'the webhook endpoints cannot be read: ',
    );
    await unreachable.close();
  });
});

describe('pnpm orders secrets replace', () => {
  it.each([
    ['a key that is there', NEW_KEY, signingKeyFingerprint(NEW_KEY), 'FINGERPRINT: this key is not lost'],
    ['a text that is no fingerprint', NEW_KEY, 'lost', 'FINGERPRINT: must be 16 hexadecimal digits'],
    ['a fingerprint, without a key for new secrets', '', LOST, 'WEBHOOK_SIGNING_KEYS: must be set'],
  ])('rejects %s', async (_, key, fingerprint, fault) => {
    const { url } = await aDatabase();
    const environment = { DATABASE_URL: url, WEBHOOK_SIGNING_KEYS: key };
    const { code, stdout, stderr } = await run('cli.ts', environment, ['secrets', 'replace', fingerprint]).finished;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(fault);
  });
});
