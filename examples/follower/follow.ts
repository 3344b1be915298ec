// The follower: writes each event of a server as a line of a journal. It can be killed at any time.
//   ORDERS_URL      the address of the server
//   ORDERS_API_KEY  an API key with the scope events:read
//   FOLDER          where the journal and the cursor are stored
import { join } from 'node:path';
import { env } from 'node:process';
import { createOrdersClient } from '@orders/client';
import { loadCursor, saveCursor } from './cursor.ts';
import { openJournal } from './journal.ts';

const { ORDERS_URL = 'http://127.0.0.1:3000', ORDERS_API_KEY = '', FOLDER = '.' } = env;
const orders = createOrdersClient({ baseUrl: ORDERS_URL, credentials: { apiKey: ORDERS_API_KEY } });
const cursorPath = join(FOLDER, 'cursor');
const journal = await openJournal(join(FOLDER, 'journal'));

// It waits for events at the end of the feed, and continues after failures of the network and the server.
for await (const { data, next_cursor } of orders.events.followPages({ after: await loadCursor(cursorPath) })) {
  for (const event of data) {
    // After a crash, the page comes again whose cursor was not saved, with events that are in the journal.
    if (event.position > journal.position()) await journal.append(event);
  }
  // Not before its events are handled: those of a cursor that was saved too early would be missed.
  await saveCursor(cursorPath, next_cursor);
}
