// The receiver, with a database of its own: adds each order that is placed to the turnover, until it is disconnected.
import { argv } from 'node:process';
import type { PresentedEvent } from '@orders/domain/events';
import { Pool } from 'pg';
import { connect, DECLARED, QUEUE } from './exchange.ts';

const pool = new Pool({ connectionString: String(argv[2]) });
const rabbit = connect(String(argv[3]));
const consumer = rabbit.createConsumer(
  { queue: QUEUE.queue, queueOptions: QUEUE, ...DECLARED, qos: { prefetchCount: 1 }, concurrency: 1 },
  async ({ messageId, body }) => {
    const { type, resource } = body as PresentedEvent;
    const client = await pool.connect();
    let failure: Error | undefined;
    try {
      await client.query('begin');
      // The id and the effect of an event are one transaction: a message that comes again changes nothing.
      const { rowCount } = await client.query('insert into received values ($1) on conflict do nothing', [messageId]);
      if (rowCount === 1 && type === 'order.placed' && resource.type === 'order')
        await client.query('update turnover set orders = orders + 1, total = total + $1', [
          resource.data?.total.amount,
        ]);
      await client.query('commit');
      process.send?.(messageId);
    } catch (cause) {
      // The message goes back to the queue, and the connection is not used again.
      failure = cause instanceof Error ? cause : new Error(String(cause));
      throw failure;
    } finally {
      client.release(failure);
    }
  },
);
consumer.on('error', (cause) => console.warn(String(cause)));
process.on('disconnect', () => void close());

async function close(): Promise<void> {
  await consumer.close();
  await rabbit.close();
  await pool.end();
}
