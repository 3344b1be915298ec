import assert from 'node:assert/strict';

/** A delivery, as far as the check needs it. */
interface Delivery {
  readonly event_id: string;
  readonly attempts: number;
}

interface DeliveriesPage {
  readonly data: readonly Delivery[];
  readonly page: { readonly next_cursor: string | null };
}

/** The endpoint of the receiver, as its owner administers it over HTTP. */
export interface Endpoint {
  /** Rotates the secret and returns the new one. The one before stays valid for an hour. */
  rotateSecret(): Promise<string>;
  /**
   * Has the messages delivered now that the receiver has rejected. An operator requests this after an outage; otherwise
   * they come after 5 seconds, 5 minutes, 30 minutes and so on.
   */
  redeliverRejected(): Promise<void>;
}

/** Creates an endpoint at `url`, and returns its secret, too. */
export async function createEndpoint(server: string, key: string, url: string) {
  const post = async (path: string, body: object): Promise<string> => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const response = await fetch(`${server}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await response.text();
    assert.ok(response.ok, `${path}: ${response.status} ${text}`);
    return text;
  };
  const { id, secret } = JSON.parse(await post('/v1/webhook_endpoints', { url })) as { id: string; secret: string };
  const path = `/v1/webhook_endpoints/${id}`;

  const endpoint: Endpoint = {
    rotateSecret: async () => {
      const rotated = JSON.parse(await post(`${path}/secrets`, { overlap_seconds: 3600 })) as { secret: string };
      return rotated.secret;
    },

    redeliverRejected: async () => {
      for (let cursor: string | null = ''; cursor !== null;) {
        const query = new URLSearchParams({ status: 'pending', limit: '100', ...(cursor !== '' && { after: cursor }) });
        const response = await fetch(`${server}${path}/deliveries?${query}`, { headers: { 'x-api-key': key } });
        const text = await response.text();
        assert.ok(response.ok, `${path}/deliveries: ${response.status} ${text}`);
        const { data, page } = JSON.parse(text) as DeliveriesPage;
        for (const { event_id, attempts } of data) if (attempts > 0) await post(`${path}/deliveries`, { event_id });
        cursor = page.next_cursor;
      }
    },
  };
  return { endpoint, secret };
}
