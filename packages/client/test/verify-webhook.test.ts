import { createHmac, randomBytes } from 'node:crypto';
import { verifyWebhook } from '@orders/client';
import { describe, expect, it } from 'vitest';

const KEY = randomBytes(32);
const SECRET = `whsec_${KEY.toString('base64')}`;
const OTHER = `whsec_${randomBytes(32).toString('base64')}`;
const NOW = new Date('2026-01-02T03:04:05.678Z');
const SECONDS = Math.floor(NOW.getTime() / 1000);
const MESSAGE = { type: 'order.placed', timestamp: NOW.toISOString(), data: { id: 'e1', note: 'für 🎁' } };
const BODY = JSON.stringify(MESSAGE);

function signed(body: string, { id = 'e1', seconds = SECONDS, key = KEY } = {}) {
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,${signature}` };
}

describe('verifyWebhook', () => {
  it.each([
    ['text and plain headers', signed(BODY), BODY],
    ['bytes and headers of Fetch', new Headers(signed(BODY)), new TextEncoder().encode(BODY)],
    ['a Buffer inside a larger one', signed(BODY), Buffer.from(`xx${BODY}xx`).subarray(2, -2)],
    ['an ArrayBuffer', signed(BODY), new TextEncoder().encode(BODY).buffer],
    [
      'headers in capitals',
      Object.fromEntries(Object.entries(signed(BODY)).map(([k, v]) => [k.toUpperCase(), v])),
      BODY,
    ],
    ['headers of one value', Object.fromEntries(Object.entries(signed(BODY)).map(([k, v]) => [k, [v]])), BODY],
  ])('returns a signed message of %s', async (_, headers, body) => {
    const message = (await verifyWebhook(SECRET, headers, body, { now: NOW }))._unsafeUnwrap();
    expect(message).toEqual({ ...MESSAGE, id: 'e1' });
  });

  it('accepts any of several secrets and signatures, during a rotation', async () => {
    const headers = signed(BODY);
    const both = { ...headers, 'webhook-signature': `v1,AAAA v2,x ${headers['webhook-signature']}` };
    expect((await verifyWebhook([OTHER, SECRET], both, BODY, { now: NOW })).isOk()).toBe(true);
    expect((await verifyWebhook([OTHER], both, BODY, { now: NOW }))._unsafeUnwrapErr()).toEqual({
      type: 'invalid_signature',
    });
  });

  it.each([
    ['another body', signed(BODY), `${BODY} `],
    ['another id', { ...signed(BODY), 'webhook-id': 'e2' }, BODY],
    ['another time', { ...signed(BODY), 'webhook-timestamp': String(SECONDS + 1) }, BODY],
    ['another key', signed(BODY, { key: randomBytes(32) }), BODY],
    ['no signature of a known version', { ...signed(BODY), 'webhook-signature': 'v1a,x' }, BODY],
    ['a signature that is not base64', { ...signed(BODY), 'webhook-signature': 'v1,%%%' }, BODY],
    [
      'a signature behind sixteen others',
      { ...signed(BODY), 'webhook-signature': `${'v1,AAAA '.repeat(16)}${signed(BODY)['webhook-signature']}` },
      BODY,
    ],
  ])('rejects %s', async (_, headers, body) => {
    const rejected = await verifyWebhook(SECRET, headers, body, { now: NOW });
    expect(rejected._unsafeUnwrapErr()).toEqual({ type: 'invalid_signature' });
  });

  it.each([MESSAGE, undefined, null, [BODY]])('rejects the parsed body %o at once', (body) => {
    // @ts-expect-error -- as `express.json()` leaves it
    expect(() => verifyWebhook(SECRET, signed(BODY), body)).toThrow('pass the raw body');
  });

  it('rejects a header that a message has twice', async () => {
    const twice = { ...signed(BODY), 'Webhook-Id': 'e1' };
    expect((await verifyWebhook(SECRET, twice, BODY, { now: NOW }))._unsafeUnwrapErr().type).toBe('missing_header');
  });

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('requires the header %s', async (name) => {
    const headers = { ...signed(BODY), [name]: undefined };
    expect((await verifyWebhook(SECRET, headers, BODY, { now: NOW }))._unsafeUnwrapErr()).toEqual({
      type: 'missing_header',
    });
  });

  it('rejects a message of another time, in the past and in the future', async () => {
    const at = (seconds: number, toleranceSeconds?: number) =>
      verifyWebhook(SECRET, signed(BODY, { seconds }), BODY, { now: NOW, toleranceSeconds });
    for (const ok of [at(SECONDS - 299), at(SECONDS + 300), at(SECONDS - 3000, 3001)])
      expect((await ok).isOk()).toBe(true);
    for (const rejected of [at(SECONDS - 301), at(SECONDS + 302), at(SECONDS - 10, 5), at(SECONDS, Number.NaN)])
      expect((await rejected)._unsafeUnwrapErr()).toEqual({ type: 'timestamp_out_of_range' });
    const headers = { ...signed(BODY), 'webhook-timestamp': 'NaN' };
    expect((await verifyWebhook(SECRET, headers, BODY, { now: NOW }))._unsafeUnwrapErr()).toEqual({
      type: 'timestamp_out_of_range',
    });
  });

  it.each([
    '{',
    'null',
    '[]',
    '{"type":"x"}',
    ...[
      ...[1, undefined].flatMap((other) => [
        { ...MESSAGE, type: other },
        { ...MESSAGE, timestamp: other },
      ]),
      ...[undefined, null, 'e1', [], {}, { id: 'e2' }].map((data) => ({ ...MESSAGE, data })),
      ...['e2', 1, null].map((id) => ({ ...MESSAGE, id })),
    ].map((message) => JSON.stringify(message)),
  ])('rejects the signed body %j', async (body) => {
    expect((await verifyWebhook(SECRET, signed(body), body, { now: NOW }))._unsafeUnwrapErr()).toEqual({
      type: 'invalid_body',
    });
  });

  it('throws for an unknown option', () => {
    const options = { now: undefined, tolerance: 7 };
    expect(() => verifyWebhook(SECRET, {}, BODY, options)).toThrow('unknown option "tolerance"');
  });

  it('throws for secrets that are none, without their text', () => {
    for (const secrets of [[], 'whsec_', 'x', 'whsec_%%', [SECRET, KEY.toString('base64')]])
      expect(() => verifyWebhook(secrets, {}, BODY)).toThrow(/^(a secret must be whsec_ and base64|.* at least one)/);
  });
});
