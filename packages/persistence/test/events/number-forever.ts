// Gives positions to the changes of an owner until it is killed: node number-forever.ts URL OWNER
import { openDatabase, postgresEventFeed } from '@orders/persistence';
import { readPage } from '../fixtures/reading.ts';

const [url = '', owner = ''] = process.argv.slice(2);
const feed = postgresEventFeed(openDatabase({ url, poolMax: 1 }));

for (;;) {
  const page = await readPage(feed, owner, { start: 'latest' });
  // The first line reports that it is at work.
  if (page.isOk()) process.stdout.write('.\n');
}
