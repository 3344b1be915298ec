import { apiKeys, authenticateBy } from '@orders/http-adapter';
import { describe, expect, it } from 'vitest';
import type { ApiResponse, Headers } from '../fixtures/a-client.ts';
import { anApi } from '../fixtures/an-api.ts';
import { inMemoryApiKeys } from '../fixtures/in-memory-api-keys.ts';
import { NO_ORDER } from '../fixtures/new-orders.ts';

/** A part of a request. If two parts set the same value, the first one in a list counts. */
interface Part {
  readonly method?: 'PATCH' | 'PUT';
  readonly who?: 'anonymous' | 'busy' | 'reader' | 'acme';
  readonly url?: string;
  readonly headers?: Headers;
  readonly payload?: string;
}

const BODY_LIMIT = 1000;
/** The limits that the requests of acme and its reader need. */
const WRITES = 3;
const NOWHERE = `/v1/orders/${NO_ORDER}`;

/** The faults of a change of an order, by the code of their problem, in the order of the checks. */
const FAULTS: readonly (readonly [string, Part])[] = [
  ['malformed_request', { url: `${NOWHERE}?page=%zz` }],
  ['method_not_allowed', { method: 'PUT' }],
  ['unauthenticated', { who: 'anonymous' }],
  ['origin_not_allowed', { headers: { origin: 'https://evil.example' } }],
  ['rate_limited', { who: 'busy' }],
  ['insufficient_scope', { who: 'reader' }],
  ['unsupported_media_type', { headers: { 'content-type': 'text/plain' } }],
  ['not_acceptable', { headers: { accept: 'text/html' } }],
  ['payload_too_large', { payload: `{${' '.repeat(BODY_LIMIT)}` }],
  ['unknown_parameter', { url: `${NOWHERE}?page=1`, headers: { 'if-match': 'x' } }],
  ['malformed_json', { payload: '{"status":"lost"' }],
  ['validation_failed', { payload: '{"status":"lost"}' }],
  ['idempotency_key_reused', { headers: { 'idempotency-key': 'used' } }],
  ['order_not_found', { url: NOWHERE }],
  ['precondition_failed', { headers: { 'if-match': '"9-1"' } }],
  ['invalid_status_transition', { payload: '{"status":"delivered","reference":"A-1"}' }],
  ['reference_taken', { payload: '{"status":"paid","reference":"A-1"}' }],
];

/** Sends a change that is valid except for `faults`, to a new API. */
async function sendWith(faults: readonly Part[]): Promise<ApiResponse> {
  const keys = inMemoryApiKeys();
  // As with a client certificate, for which the origin of a write is checked.
  const authentication = { ...authenticateBy(apiKeys(keys)), isAmbient: () => true };
  const { client } = await anApi({ bodyLimitBytes: BODY_LIMIT, rateLimits: { write: WRITES }, authentication });
  const acme = client(keys.issue());
  await acme.place({ reference: 'A-1' }, { 'idempotency-key': 'used' });
  const { url } = await acme.place();
  const sound: Part = {
    method: 'PATCH',
    who: 'acme',
    url,
    payload: '{"status":"paid"}',
    headers: { 'content-type': 'application/json', 'idempotency-key': 'fresh', 'if-match': '"1-1"' },
  };
  const parts = [...faults, sound].toReversed();
  const { who, ...request } = parts.reduce((whole, part) => ({ ...whole, ...part }));
  const headers = parts.reduce<Headers>((all, part) => ({ ...all, ...part.headers }), {});
  const readOnly = { scopes: ['orders:read'] };
  const busy = client(keys.issue({ owner: 'busy', ...readOnly }));
  for (let write = 0; write < WRITES; write += 1) await busy.post('/v1/orders', {});
  const senders = { acme, busy, reader: client(keys.issue(readOnly)), anonymous: client() };
  return senders[who ?? 'acme'].send({ method: 'PATCH', url, ...request, headers });
}

describe('a change of an order', () => {
  // Each row has the faults of all rows below it, too, but none of those above it.
  it.each(FAULTS.map(([code], index) => [code, index] as const))(
    'is refused with %s whatever else is wrong that is checked later',
    async (code, index) => {
      const faults = FAULTS.slice(index).map(([, part]) => part);
      expect(await sendWith(faults)).toMatchObject({ body: { code } });
    },
  );

  it('is accepted when it has no fault', async () => {
    expect(await sendWith([])).toMatchObject({ status: 200, body: { status: 'paid' } });
  });
});

describe('an unknown path or method', () => {
  it.each([
    ['without credentials', {}],
    ['with another media type', { 'content-type': 'text/plain' }],
  ])('is reported before the body is validated, %s', async (_, headers) => {
    const { client } = await anApi({ bodyLimitBytes: BODY_LIMIT });
    const payload = 'x'.repeat(2 * 1024 * 1024);
    expect(await client().send({ method: 'POST', url: '/v1/nothing', headers, payload })).toMatchObject({
      status: 404,
    });
    expect(await client().send({ method: 'PUT', url: '/v1/orders', headers, payload })).toMatchObject({ status: 405 });
    expect(await client().send({ method: 'OPTIONS', url: '/v1/orders', headers, payload })).toMatchObject({
      status: 204,
    });
  });
});
