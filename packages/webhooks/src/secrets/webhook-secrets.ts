import { createHmac } from 'node:crypto';
import type { WebhookSecrets } from '@orders/domain/webhooks';

/** Minimum size of a signing key, in bytes. */
export const SIGNING_KEY_BYTES_MIN = 32;
/** Maximum size of a signing key, in bytes. */
export const SIGNING_KEY_BYTES_MAX = 512;

/** The purpose of a derived secret. Another format of secrets gets another name, so that both differ under one key. */
const SECRET_LABEL = 'orders-webhook-v1';
const FINGERPRINT_LABEL = 'orders-webhook-key-v1';
const FINGERPRINT_BYTES = 8;
const SECRET_PREFIX = 'whsec_';

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/**
 * Derives the secrets of endpoints from signing keys. New secrets use the first key; a secret that exists keeps its
 * key until it is rotated.
 *
 * @param signingKeys in base64 or base64url, the newest first
 * @throws {Error} the list is empty, or a key is invalid or occurs twice; the message has no key
 */
export function webhookSecrets(signingKeys: readonly string[]): WebhookSecrets {
  const keys = new Map(signingKeys.map((text) => [signingKeyFingerprint(text), decode(text)]));
  const [newest] = keys.keys();
  if (newest === undefined) throw new Error('webhooks need at least one signing key');
  if (keys.size < signingKeys.length) throw new Error('the same signing key occurs twice');
  return {
    newestKey() {
      return newest;
    },

    derive(owner, endpointId, { serial, key: fingerprint }) {
      const key = keys.get(fingerprint);
      if (!key) throw new Error(`the server has no webhook signing key with the fingerprint ${fingerprint}`);
      const parts = [SECRET_LABEL, owner, endpointId, String(serial)];
      return `${SECRET_PREFIX}${hmac(key, parts).toString('base64')}`;
    },
  };
}

/** Checks whether `text` is a signing key: base64 or base64url of {@link SIGNING_KEY_BYTES_MIN} bytes or more. */
export function isSigningKey(text: string): boolean {
  const { length } = Buffer.from(text, 'base64');
  return BASE64.test(text) && length >= SIGNING_KEY_BYTES_MIN && length <= SIGNING_KEY_BYTES_MAX;
}

/**
 * Returns the name under which stored secrets refer to a signing key, 16 hexadecimal digits. It does not reveal the key.
 *
 * @throws {Error} the key is not valid; the message does not contain it
 */
export function signingKeyFingerprint(signingKey: string): string {
  return hmac(decode(signingKey), [FINGERPRINT_LABEL]).subarray(0, FINGERPRINT_BYTES).toString('hex');
}

/** Returns the bytes of a secret, with which its requests are signed. */
export function secretBytes(secret: string): Buffer {
  return Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
}

function decode(signingKey: string): Buffer {
  if (!isSigningKey(signingKey)) {
    throw new Error(
      `a signing key must be base64 of ${SIGNING_KEY_BYTES_MIN} to ${SIGNING_KEY_BYTES_MAX} random bytes`,
    );
  }
  return Buffer.from(signingKey, 'base64');
}

/** Returns the HMAC-SHA256 of `parts`, each after its length, so that no two lists of parts have one text. */
function hmac(key: Buffer, parts: readonly string[]): Buffer {
  const mac = createHmac('sha256', key);
  for (const part of parts) {
    const bytes = Buffer.from(part);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    mac.update(length).update(bytes);
  }
  return mac.digest();
}
