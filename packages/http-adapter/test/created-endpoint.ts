import type { ApiResponse, Client, Headers } from './a-client.ts';
import { derivedSecrets } from './a-webhooks.ts';
import { textAt } from './json.ts';

/** The path of the collection of endpoints. */
export const ENDPOINTS = '/v1/webhook_endpoints';

export const ENDPOINT_URL = 'https://example.com/orders';

/** Creates a webhook endpoint. Throws if the response is not 201; tests of errors use `post`. */
export async function createdEndpoint(
  client: Client,
  members: Readonly<Record<string, unknown>> = {},
  headers: Headers = {},
): Promise<{ readonly id: string; readonly url: string; readonly secret: string; readonly response: ApiResponse }> {
  const response = await client.post(ENDPOINTS, { url: ENDPOINT_URL, ...members }, headers);
  if (response.status !== 201) throw new Error(`the endpoint was rejected: ${response.text}`);
  const id = textAt(response.body, 'id');
  return { id, url: `${ENDPOINTS}/${id}`, secret: textAt(response.body, 'secret'), response };
}

/** Members of an endpoint in every response that makes no secret. */
export const ENDPOINT_MEMBERS = [
  'id',
  'url',
  'types',
  'include',
  'description',
  'status',
  'disabled_reason',
  'version',
  'created_at',
  'updated_at',
];

/** Returns the secret with a serial number that the server derives for an endpoint of `acme`. */
export function secretOf(endpointId: string, serial: number): string {
  return derivedSecrets('test').derive('acme', endpointId, { serial, key: 'test' });
}
