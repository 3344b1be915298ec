import type { WebhookSecret } from '@orders/domain/webhooks';
import { signingKeyFingerprint, signMessage, webhookSecrets } from '@orders/webhooks';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FIRST_KEY, SECOND_KEY } from './signing-keys.ts';

const ROTATED_AT = new Date('2026-03-01T12:00:00.000Z');
const OVERLAP_ENDS = '2026-03-02T12:00:00.000Z';
const BODY = '{"type":"order.placed","data":{"note":"Grüße 🎁"}}';

const secrets = webhookSecrets([SECOND_KEY, FIRST_KEY]);
const old: WebhookSecret = { serial: 1, key: signingKeyFingerprint(FIRST_KEY), expires_at: OVERLAP_ENDS };
const rotated: WebhookSecret = { serial: 2, key: signingKeyFingerprint(SECOND_KEY), expires_at: null };
const endpoint = { id: 'endpoint', secrets: [rotated, old] };

function sign(at: Date, recorded: readonly WebhookSecret[] = endpoint.secrets) {
  const message = { id: '0190d2a4-0000-7000-8000-000000000001', body: BODY };
  return signMessage(secrets, 'shop', { ...endpoint, secrets: recorded }, message, at);
}

function verify(secret: WebhookSecret, headers: object): unknown {
  return new Webhook(secrets.derive('shop', endpoint.id, secret)).verify(BODY, { ...headers });
}

describe('a signed message', () => {
  // The verifier compares the timestamp with its clock.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: ROTATED_AT }));
  afterEach(() => void vi.useRealTimers());

  it('has the id, the time in seconds and one signature per valid secret', () => {
    const headers = sign(new Date(ROTATED_AT.getTime() + 999));
    expect(headers['webhook-id']).toBe('0190d2a4-0000-7000-8000-000000000001');
    expect(headers['webhook-timestamp']).toBe(String(ROTATED_AT.getTime() / 1000));
    expect(headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/);
  });

  it('is verified by the old and by the new secret during the overlap', () => {
    const headers = sign(ROTATED_AT);
    expect(verify(old, headers)).toEqual(JSON.parse(BODY));
    expect(verify(rotated, headers)).toEqual(JSON.parse(BODY));
  });

  it('is signed by the newest secret first', () => {
    const [first] = sign(ROTATED_AT)['webhook-signature'].split(' ');
    expect(first).toBe(sign(ROTATED_AT, [rotated])['webhook-signature']);
  });

  it('is rejected by the old secret once the overlap has ended', () => {
    vi.setSystemTime(new Date(OVERLAP_ENDS));
    const headers = sign(new Date(OVERLAP_ENDS));
    expect(verify(rotated, headers)).toEqual(JSON.parse(BODY));
    expect(() => verify(old, headers)).toThrow('No matching signature found');
  });

  it('is rejected with another body, id or time', () => {
    const headers = sign(ROTATED_AT);
    const verifier = new Webhook(secrets.derive('shop', endpoint.id, rotated));
    expect(() => verifier.verify(`${BODY} `, { ...headers })).toThrow('No matching signature found');
    for (const changed of [{ 'webhook-id': 'other' }, { 'webhook-timestamp': `${ROTATED_AT.getTime() / 1000 + 1}` }]) {
      expect(() => verify(rotated, { ...headers, ...changed })).toThrow('No matching signature found');
    }
  });

  it('throws when the server lacks the key of a valid secret', () => {
    const lacking = webhookSecrets([FIRST_KEY]);
    const message = { id: 'id', body: BODY };
    expect(() => signMessage(lacking, 'shop', endpoint, message, ROTATED_AT)).toThrow(rotated.key);
  });
});
