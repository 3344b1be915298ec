// Stores the events of all owners in public.effects until it is killed: node consume-all-forever.ts URL
import { consumeAllInTransaction, openDatabase } from '@orders/persistence';

const database = openDatabase({ url: process.argv[2] ?? '', poolMax: 5 });

await consumeAllInTransaction({
  database,
  name: 'effects',
  eventsPerTransaction: 20,
  handler: async (owner, { position }, { client }) => {
    await client.query('insert into public.effects (owner_id, position) values ($1, $2)', [owner, position]);
    // The first line reports that it is at work.
    process.stdout.write('.\n');
  },
});
