import { type OrdersHttpOptions, ordersHttp, ordersServerFactory, ordersServerOptions } from '@orders/http-adapter';
import { defineOrders, ORDERS } from '@orders/domain';
import { inMemoryStore } from '@orders/domain/testing';
import { fastify } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { aDomain } from './fixtures/a-domain.ts';
import { BASE_URL } from './fixtures/an-api.ts';
import { BAKERY } from './fixtures/a-bakery.ts';
import { webhooksOf } from './fixtures/a-webhooks.ts';

const SOUND: OrdersHttpOptions = {
  domain: aDomain(),
  authentication: { authenticate: () => null, securitySchemes: { Name: { type: 'apiKey', in: 'header', name: 'X' } } },
  publicBaseUrl: BASE_URL,
};
const { authenticate, securitySchemes } = SOUND.authentication;

/** Registers the plugin with `wrong` in place of valid options. `undefined` omits an option. */
async function register(wrong: object, prefix = ''): Promise<readonly string[]> {
  const app = fastify();
  onTestFinished(() => app.close());
  const routes: string[] = [];
  app.addHook('onRoute', ({ url }) => void routes.push(url));
  try {
    await app.register(ordersHttp, Object.assign({ prefix }, SOUND, wrong));
  } finally {
    expect(routes.length > 0).toBe(Object.keys(wrong).length === 0 && !/[:*]/.test(prefix));
  }
  return routes;
}

// @ts-expect-error -- its use cases are missing
const NO_DOMAIN: Pick<OrdersHttpOptions, 'domain'> = { domain: { definition: ORDERS } };

const WRONG: [string, object, string?][] = [
  ['domain must be created by createDomain of @orders/domain, but it lacks placeOrder', NO_DOMAIN],
  ['it lacks cancelOrder', { domain: { ...SOUND.domain, cancelOrder: undefined } }],
  [
    'webhooks must be created by createWebhooks of @orders/domain/webhooks, but it lacks createEndpoint',
    { webhooks: {} },
  ],
  ['it lacks definition', { domain: { ...SOUND.domain, definition: undefined } }],
  [
    'webhooks must have the definition of domain: pass domain.definition to createWebhooks, too',
    { webhooks: webhooksOf(BAKERY, inMemoryStore({ definition: BAKERY })) },
  ],
  [
    'feed must have the definition of domain: open the database with domain.definition',
    { feed: inMemoryStore({ definition: BAKERY }).feed },
  ],
  ['authentication must be the result of authenticateBy', { authentication: { securitySchemes } }],
  ['authentication.securitySchemes must map names to OpenAPI security schemes', { authentication: { authenticate } }],
  [
    'authentication.securitySchemes must map names to OpenAPI security schemes',
    { authentication: { authenticate, securitySchemes: { A: {} } } },
  ],
  [
    'authentication.challenge must be a function',
    { authentication: { authenticate, securitySchemes, challenge: 'Basic' } },
  ],
  ['publicBaseUrl must be a URL', { publicBaseUrl: undefined }],
  ['publicBaseUrl must be an http or https URL', { publicBaseUrl: 'api.example.com' }],
  ['corsOrigins must be an array of origins', { corsOrigins: 'https://shop.example.com' }],
  ['corsOrigins must be origins', { corsOrigins: ['shop.example.com'] }],
  ['isOverloaded must be a function', { isOverloaded: true }],
  ['now must be a function', { now: new Date() }],
  ['bodyLimitBytes must be an integer between 1 and', { bodyLimitBytes: -1 }],
  ['urlLimitBytes must be an integer between', { urlLimitBytes: Number.NaN }],
  ['timeLimitMs must be an integer between 1 and 2147483647', { timeLimitMs: 2 ** 31 }],
  ['concurrencyMax must be an integer between', { concurrencyMax: 0 }],
  ['rateLimits.read must be an integer between 0 and', { rateLimits: { read: Number.NaN } }],
  ['rateLimits.store must be an object with a function count', { rateLimits: { store: {} } }],
  ['rateLimits must be an object', { rateLimits: 5 }],
  ['prefix must not contain parameters', {}, '/:tenant'],
];

describe('the options of the server', () => {
  it.each([0, 2 ** 31, Infinity])(
    'fail when the server is configured: responseReadTimeoutMs of %d',
    (responseReadTimeoutMs) => {
      const error = new RangeError(
        `responseReadTimeoutMs must be an integer between 1 and 2147483647, got ${responseReadTimeoutMs}`,
      );
      expect(() => ordersServerFactory({ responseReadTimeoutMs })).toThrow(error);
      expect(() => ordersServerOptions('https://api.example', { responseReadTimeoutMs })).toThrow(error);
    },
  );
});

describe('the options of the plugin', () => {
  it.each(WRONG)('fail at registration, before any route exists: %s', async (message, wrong, prefix) => {
    const registered = register(wrong, prefix);
    await expect(registered).rejects.toThrow(message);
    await expect(registered).rejects.toThrow(/^[^\n]+$/);
  });

  it('accept webhooks of an equal definition, such as one that was read twice', async () => {
    const { lifecycle, initial, cancel } = ORDERS;
    const equal = defineOrders({ lifecycle, initial, cancel });
    const app = fastify();
    onTestFinished(() => app.close());
    const webhooks = webhooksOf(equal, inMemoryStore({ definition: equal }));
    await expect(app.register(ordersHttp, { ...SOUND, webhooks })).resolves.not.toThrow();
  });

  it('are accepted when they are valid, also with options of other plugins', async () => {
    expect(await register({}, '/shop')).toContain('/shop/v1/orders');
    const app = fastify();
    onTestFinished(() => app.close());
    await expect(app.register(ordersHttp, Object.assign({ dirNameRoutePrefix: true }, SOUND))).resolves.not.toThrow();
  });
});
