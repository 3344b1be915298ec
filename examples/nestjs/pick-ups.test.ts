import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ConflictException, type DynamicModule, type Type } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { openDatabase } from '@orders/persistence';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { ok } from 'neverthrow';
import { OrdersModule } from './orders.module.ts';
import { CREATE_SHELVES, PickUpsModule, Shelves } from './pick-ups.ts';
import { OrdersTestingModule } from './testing.module.ts';

for (const Adapter of [ExpressAdapter, FastifyAdapter]) {
  const start = async (orders: DynamicModule | Type, shelves: Partial<Shelves>) => {
    const builder = Test.createTestingModule({ imports: [orders, PickUpsModule] });
    const compiled = await builder.overrideProvider(Shelves).useValue(shelves).compile();
    const app = compiled.createNestApplication(new Adapter(), { logger: false });
    app.enableShutdownHooks();
    await app.listen(0, '127.0.0.1');
    after(() => app.close());
    return async (path: string, body?: object) => {
      const headers = { 'content-type': 'application/json' };
      const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : {};
      const response = await fetch(`${await app.getUrl()}/pick-ups/${path}`, init);
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
  };

  describe(`${Adapter.name} without a database`, async () => {
    const taken = new Set<string>();
    const send = await start(OrdersTestingModule, {
      put: (_, shelf) =>
        taken.has(shelf)
          ? Promise.reject(new ConflictException('the shelf is taken'))
          : Promise.resolve(void taken.add(shelf)),
    });

    it('places an order, and puts it on a shelf', async () => {
      const placed = await send('A1', { reference: 'R-1' });
      assert.equal(placed.status, 201);
      assert.deepEqual([...taken], ['A1']);
      assert.deepEqual(await send(String(placed.body.id)), { status: 200, body: placed.body });
    });

    it('responds with the details of a rejection', async () => {
      const conflict = await send('A2', { reference: 'R-1' });
      assert.deepEqual([conflict.status, conflict.body.type], [409, 'reference_taken']);
      const invalid = await send('A2', { reference: 7 });
      assert.deepEqual([invalid.status, invalid.body.type], [422, 'validation_failed']);
      assert.equal((await send('nowhere')).status, 404);
      assert.deepEqual([...taken], ['A1']);
    });

    it('stores no order when the shelf is taken', async () => {
      assert.equal((await send('A1', { reference: 'R-2' })).status, 409);
      assert.equal((await send('A2', { reference: 'R-2' })).status, 201);
    });
  });

  describe(`${Adapter.name} with PostgreSQL`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'orders-nest-'));
    const postgres = await startEmbeddedPostgres({ dataDir: folder });
    const database = openDatabase({ url: postgres.url });
    await database.transaction(async ({ client }) => ok(await client.query(CREATE_SHELVES)));
    const send = await start(OrdersModule.forRoot(postgres.url), new Shelves());
    after(async () => {
      await database.close();
      await postgres.stop();
      await rm(folder, { recursive: true });
    });

    it('stores no order when the shelf is taken', async () => {
      assert.equal((await send('A1', { reference: 'R-1' })).status, 201);
      assert.equal((await send('A1', { reference: 'R-2' })).status, 409);
      assert.equal((await send('A2', { reference: 'R-2' })).status, 201);
    });

    it('is unavailable without PostgreSQL, and does not say why', async () => {
      await postgres.stop();
      assert.deepEqual(await send('A3', { reference: 'R-3' }), { status: 503, body: { type: 'unavailable' } });
    });
  });
}
