import { describe, expect, it } from 'vitest';
import { anApi } from './an-api.ts';
import { createdEndpoint, secretOf } from './created-endpoint.ts';

describe('POST /v1/webhook_endpoints/{id}/secrets', () => {
  it('returns the new secret, also for a retry until the next rotation', async () => {
    const { acme } = await anApi();
    const { id, url } = await createdEndpoint(acme);
    const key = { 'idempotency-key': 'rotation' };
    const rotated = await acme.post(`${url}/secrets`, { overlap_seconds: 60 }, { ...key, 'if-match': '"1-1"' });
    expect(rotated).toMatchObject({
      status: 200,
      headers: { etag: '"2-1"', 'cache-control': 'no-store' },
      body: { id, version: 2, secret: secretOf(id, 2) },
    });
    const retry = await acme.post(`${url}/secrets`, { overlap_seconds: 60 }, key);
    expect(retry).toMatchObject({ headers: { 'idempotent-replayed': 'true' }, body: rotated.body });
    await acme.post(`${url}/secrets`);
    const late = await acme.post(`${url}/secrets`, { overlap_seconds: 60 }, key);
    expect(late).toMatchObject({ status: 409, body: { code: 'secret_superseded' } });
    expect(late.text).not.toContain('whsec_');
  });

  it.each([-1, 604_801, 1.5, '60'])('rejects an overlap of %s', async (overlap_seconds) => {
    const { acme } = await anApi();
    const { url } = await createdEndpoint(acme);
    const response = await acme.post(`${url}/secrets`, { overlap_seconds });
    expect(response).toMatchObject({ status: 422, body: { errors: [{ field: 'overlap_seconds' }] } });
  });
});
