import { ORDERS } from '@orders/domain';
import Fastify from 'fastify';
import { expect, it, vi } from 'vitest';
import { documentOperations } from '../../../src/operator/operations/document.ts';
import { declareRequestState } from '../../../src/request-state.ts';

it('the document of the listener is made once, however often it is read', async () => {
  const make = vi.fn<() => unknown>(() => ({ openapi: '3.1.1' }));
  const app = Fastify();
  declareRequestState(app);
  for (const operation of documentOperations(ORDERS, make))
    if ('handle' in operation)
      app.get(operation.path, async (request, reply) => {
        const response = await operation.handle(request, reply);
        return response._unsafeUnwrap().body;
      });
  const read = async () => (await app.inject('/admin/openapi.json')).json<unknown>();
  expect([await read(), await read()]).toEqual([{ openapi: '3.1.1' }, { openapi: '3.1.1' }]);
  expect(make).toHaveBeenCalledOnce();
});
