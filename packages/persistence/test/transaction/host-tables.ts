import { defineEntity, MikroORM, type Options, p } from '@mikro-orm/postgresql';
import { onTestFinished } from 'vitest';
import { execute } from '../fixtures/execute.ts';

/** An entity of a host: the time at which an order is picked up. */
export const PickUp = defineEntity({
  name: 'PickUp',
  tableName: 'pick_ups',
  schema: 'shop',
  properties: { order_id: p.uuid().primary(), at: p.datetime(), shelf: p.text().unique() },
});

/** Creates the table of the host. */
export async function createPickUps(url: string): Promise<void> {
  await execute(
    url,
    `create schema shop;
     create table shop.pick_ups (order_id uuid primary key, at timestamptz not null, shelf text unique not null)`,
  );
}

/** Opens the MikroORM of a host for the test. */
export function hostOrm(url: string, options: Partial<Options> = {}): MikroORM {
  const orm = hostOrmAt(url, 10, options);
  onTestFinished(() => orm.close());
  return orm;
}

/** Opens the MikroORM of a host, which the caller closes. */
export function hostOrmAt(url: string, poolMax = 10, options: Partial<Options> = {}): MikroORM {
  const pool = { min: 0, max: poolMax };
  return new MikroORM({ clientUrl: url, entities: [PickUp], ensureDatabase: false, pool, ...options });
}
