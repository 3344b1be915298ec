import { ordersHttp, ordersServerOptions, parseBaseUrl } from '@orders/http-adapter';
import { fastify } from 'fastify';
import { describe, expect, it } from 'vitest';
import { aDomain } from './fixtures/a-domain.ts';
import { anApi } from './fixtures/an-api.ts';
import { everyWay } from './fixtures/every-way.ts';

const RULE = 'must be an http or https URL without user info, query or fragment';

const REJECTED = [
  'https://user:hunter2@api.example.com',
  'https://:hunter2@api.example.com',
  'https://api.example.com?tenant=hunter2',
  'https://api.example.com/shop#hunter2',
  'https://api.example.com/#',
  'ftp://api.example.com',
  'javascript:hunter2',
  'api.example.com',
  '/shop',
  '',
];

describe('the base URL', () => {
  it.each(REJECTED)('is rejected by an error that omits it: %s', (text) => {
    expect(parseBaseUrl(text)._unsafeUnwrapErr()).toBe(RULE);
  });

  it.each([
    ['https://api.example.com', 'https://api.example.com'],
    ['https://api.example.com/', 'https://api.example.com'],
    ['https://api.example.com//', 'https://api.example.com'],
    ['http://127.0.0.1:3000/shop/', 'http://127.0.0.1:3000/shop'],
    ['HTTPS://API.example.com:443/Shop', 'https://api.example.com/Shop'],
    ['https://[::1]:8443/a/b', 'https://[::1]:8443/a/b'],
  ])('is normalised: %s to %s', (text, parsed) => {
    expect(parseBaseUrl(text)._unsafeUnwrap()).toBe(parsed);
  });
});

describe('the option publicBaseUrl', () => {
  it('is validated at registration', async () => {
    const publicBaseUrl = 'https://api.example.com?tenant=hunter2';
    const app = fastify();
    const registration = app.register(ordersHttp, { domain: aDomain(), authentication: everyWay(), publicBaseUrl });
    await expect(registration).rejects.toThrow(new TypeError(`publicBaseUrl ${RULE}`));
    expect(() => ordersServerOptions(publicBaseUrl)).toThrow(new TypeError(`publicBaseUrl ${RULE}`));
    await app.close();
  });

  it('may end with a slash, which problem types omit', async () => {
    const { client } = await anApi({ publicBaseUrl: 'https://api.example.test/' });
    const { body } = await client().get('/v1/nothing');
    expect(body).toMatchObject({ type: 'https://api.example.test/problems/not-found' });
  });
});
