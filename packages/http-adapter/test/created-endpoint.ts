import type { ApiResponse, Client, Headers } from './a-client.ts';
import { textAt } from './json.ts';

export const ENDPOINT_URL = 'https://example.com/orders';

/** Creates a webhook endpoint. Throws if the response is not 201; tests of errors use `post`. */
export async function createdEndpoint(
  client: Client,
  members: Readonly<Record<string, unknown>> = {},
  headers: Headers = {},
): Promise<{ readonly id: string; readonly url: string; readonly secret: string; readonly response: ApiResponse }> {
  const response = await client.post('/v1/webhook_endpoints', { url: ENDPOINT_URL, ...members }, headers);
  if (response.status !== 201) throw new Error(`the endpoint was rejected: ${response.text}`);
  const id = textAt(response.body, 'id');
  return { id, url: `/v1/webhook_endpoints/${id}`, secret: textAt(response.body, 'secret'), response };
}
