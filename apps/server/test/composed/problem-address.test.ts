import { type OrderDefinition, ORDERS } from '@orders/domain';
import { openDatabase } from '@orders/persistence';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { compose } from '../../src/compose.ts';
import { readConfig } from '../../src/config/config.ts';

it('the type of a problem has the configured port until the server listens, and then the port it listens on', async () => {
  const database = openDatabase<OrderDefinition>({ definition: ORDERS, url: 'postgresql://orders@127.0.0.1:1/orders' });
  const { app } = await compose(readConfig({ PORT: '0' }), { database, log: pino({ level: 'silent' }) });
  onTestFinished(async () => {
    await app.close();
    await database.close();
  });
  const typeOfProblem = async () => (await app.inject('/unknown')).json<{ type: string }>().type;
  expect(await typeOfProblem()).toBe('http://127.0.0.1:0/problems/not-found');
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  expect(await typeOfProblem()).toBe(`${address}/problems/not-found`);
});
