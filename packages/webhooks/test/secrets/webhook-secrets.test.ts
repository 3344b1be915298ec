import { createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import { isSigningKey, signingKeyFingerprint, webhookSecrets } from '@orders/webhooks';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FIRST_KEY, SECOND_KEY } from './signing-keys.ts';

const fingerprint = signingKeyFingerprint(FIRST_KEY);
const secrets = webhookSecrets([FIRST_KEY]);

describe('a derived secret', () => {
  it('is the HMAC of label, owner, endpoint and serial, each after its length', () => {
    const signed = Buffer.concat(
      ['orders-webhook-v1', 'shop', 'endpoint', '7'].map((part) => {
        const length = Buffer.alloc(4);
        length.writeUInt32BE(Buffer.byteLength(part));
        return Buffer.concat([length, Buffer.from(part)]);
      }),
    );
    const expected = createHmac('sha256', Buffer.from(FIRST_KEY, 'base64')).update(signed).digest('base64');
    expect(secrets.derive('shop', 'endpoint', { serial: 7, key: fingerprint })).toBe(`whsec_${expected}`);
  });

  it('differs for every owner, endpoint, serial and key', () => {
    const both = webhookSecrets([SECOND_KEY, FIRST_KEY]);
    const second = signingKeyFingerprint(SECOND_KEY);
    const part = fc.string({ unit: 'grapheme', maxLength: 5 });
    const identity = fc.tuple(part, part, fc.nat(), fc.constantFrom(fingerprint, second));
    fc.assert(
      fc.property(identity, identity, (left, right) => {
        const [one, other] = [left, right].map(([owner, id, serial, key]) => both.derive(owner, id, { serial, key }));
        expect(one === other).toBe(left.join('\0') === right.join('\0'));
      }),
    );
    expect(both.derive('ab', 'c', { serial: 1, key: second })).not.toBe(
      both.derive('a', 'bc', { serial: 1, key: second }),
    );
  });

  it('keeps its key when a newer one is added', () => {
    const added = webhookSecrets([SECOND_KEY, FIRST_KEY]);
    expect(secrets.newestKey()).toBe(fingerprint);
    expect(added.newestKey()).toBe(signingKeyFingerprint(SECOND_KEY));
    const secret = { serial: 1, key: fingerprint };
    expect(added.derive('shop', 'endpoint', secret)).toBe(secrets.derive('shop', 'endpoint', secret));
  });

  it('throws with the fingerprint alone for an unknown key', () => {
    const unknown = signingKeyFingerprint(SECOND_KEY);
    expect(() => secrets.derive('shop', 'endpoint', { serial: 1, key: unknown })).toThrow(
      new Error(`the server has no webhook signing key with the fingerprint ${unknown}`),
    );
  });
});

describe('a signing key', () => {
  it.each([
    ['32 bytes of base64', 'A'.repeat(43), true],
    ['32 bytes with padding', `${'A'.repeat(43)}=`, true],
    ['base64url', `${'_'.repeat(42)}A`, true],
    ['512 bytes', Buffer.alloc(512).toString('base64'), true],
    ['31 bytes', Buffer.alloc(31).toString('base64'), false],
    ['513 bytes', Buffer.alloc(513).toString('base64'), false],
    ['no base64', 'ü'.repeat(50), false],
    ['white space', `${'A'.repeat(22)} ${'A'.repeat(22)}`, false],
    ['nothing', '', false],
  ])('is accepted or rejected: %s', (_, text, isValid) => {
    expect(isSigningKey(text)).toBe(isValid);
  });

  it('has the same fingerprint in base64 and base64url', () => {
    const bytes = Buffer.alloc(32, 0xfb);
    expect(signingKeyFingerprint(bytes.toString('base64'))).toBe(signingKeyFingerprint(bytes.toString('base64url')));
    expect(fingerprint).toMatch(/^[0-9a-f]{16}$/);
  });

  it.each([
    ['none', [], 'webhooks need at least one signing key'],
    ['a short one', ['A'.repeat(42)], 'a signing key must be base64 of 32 to 512 random bytes'],
    ['one twice', [FIRST_KEY, FIRST_KEY], 'the same signing key occurs twice'],
  ])('list with %s is rejected without showing a key', (_, keys, message) => {
    expect(() => webhookSecrets(keys)).toThrow(new Error(message));
  });

  it('cannot be seen in an inspected or serialized adapter', () => {
    const shown = [inspect(secrets, { depth: 9, showHidden: true }), JSON.stringify(secrets)].join();
    for (const format of ['base64', 'hex', 'latin1'] as const) {
      expect(shown).not.toContain(Buffer.from(FIRST_KEY, 'base64').toString(format).slice(0, 8));
    }
  });
});
