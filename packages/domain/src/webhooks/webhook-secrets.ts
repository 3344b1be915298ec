import type { Owner } from '../shared/ids.ts';
import type { WebhookSecret } from './webhook-endpoint.ts';

/** Port: derives the secrets of endpoints from the keys of the server, so that no store contains one. */
export interface WebhookSecrets {
  /** Returns the fingerprint of the key that new secrets derive from. */
  newestKey(): string;

  /**
   * Returns the text of a secret, `whsec_` and base64. The same arguments always give the same text.
   *
   * @throws {Error} the server does not have the key; the message has its fingerprint
   */
  derive(owner: Owner, endpointId: string, secret: Pick<WebhookSecret, 'serial' | 'key'>): string;
}
