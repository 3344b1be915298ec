import { ORDERS } from '@orders/domain';
import { createWebhooks } from '@orders/domain/webhooks';
import { describe, expect, it } from 'vitest';
import { OWNER, UNKNOWN_ID } from '../fixtures/a-domain.ts';
import { aWebhooks, URL_OF_RECEIVER } from '../fixtures/a-webhooks.ts';

describe('the use cases of webhooks', () => {
  it.each(['endpoints', 'deliveries', 'feed', 'secrets', 'sender', 'targets', 'clock', 'ids'])(
    'are not created without the port %s',
    (name) => {
      const { ports } = aWebhooks();
      const missing = `createWebhooks: the port "${name}" is missing`;
      expect(() => createWebhooks({ ...ports, [name]: undefined })).toThrow(new TypeError(missing));
    },
  );

  const { ports } = aWebhooks();
  const { definition, ...useCases } = createWebhooks(ports);

  it('has the definition that adapters follow', () => expect(definition).toBe(ORDERS));

  it.each(Object.entries(useCases))('throw for an invalid owner: %s', (_, useCase: (...given: never[]) => unknown) => {
    for (const owner of ['', 'ü', 'o'.repeat(256), undefined, null, 7])
      expect((): unknown => Reflect.apply(useCase, undefined, [owner, UNKNOWN_ID, {}])).toThrow(TypeError);
  });

  it('throw a TypeError for an invalid actor, before a port is called', () => {
    const { ports: all } = aWebhooks();
    const closed = new Proxy(all.endpoints, { get: () => expect.fail('a port was called') });
    const webhooks = aWebhooks({ endpoints: closed });
    const options = { actor: 'zoë' };
    expect(() => webhooks.createEndpoint(OWNER, { url: URL_OF_RECEIVER }, options)).toThrow(TypeError);
    expect(() => webhooks.changeEndpoint(OWNER, UNKNOWN_ID, {}, options)).toThrow(TypeError);
    expect(() => webhooks.deleteEndpoint(OWNER, UNKNOWN_ID, options)).toThrow(TypeError);
    expect(() => webhooks.rotateSecret(OWNER, UNKNOWN_ID, {}, options)).toThrow(TypeError);
  });
});
