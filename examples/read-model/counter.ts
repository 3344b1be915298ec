// The service: counts the events of the shop until it is disconnected, and sends the position of each.
import { argv } from 'node:process';
import { consumeInTransaction, openDatabase } from '@orders/persistence';
import { CONSUMER, COUNTED, count, SHOP } from './turnover.ts';

const database = openDatabase({ url: String(argv[2]) });
const stop = new AbortController();
process.on('disconnect', () => stop.abort());

await consumeInTransaction({
  database,
  owner: SHOP,
  name: CONSUMER,
  handler: async (event, transaction) => {
    await count(event, transaction);
    process.send?.(event.position);
  },
  types: COUNTED,
  include: ['resource'],
  signal: stop.signal,
  onRetry: ({ cause }) => console.warn(cause),
});
await database.close();
