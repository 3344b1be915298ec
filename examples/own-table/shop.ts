// The service: stores the sales whose numbers it receives, several at a time, and sends back each number that is stored.
import { argv } from 'node:process';
import { MikroORM } from '@mikro-orm/postgresql';
import { openDatabase } from '@orders/persistence';
import { PickUp } from './pick-up.ts';
import { sell } from './sell.ts';

const orm = new MikroORM({ clientUrl: String(argv[2]), entities: [PickUp] });
const database = openDatabase({ orm });

process.on('message', (sale) => void serve(Number(sale)));
process.on('disconnect', () => void close());

async function serve(sale: number): Promise<void> {
  const sold = await sell(database, sale);
  // Ends the process.
  if (sold.isErr()) throw new Error(`sale ${sale} failed`, { cause: sold.error });
  process.send?.(sale);
}

async function close(): Promise<void> {
  await database.close();
  await orm.close();
}
