// The publisher: sends the events of all owners to RabbitMQ until it is disconnected.
import { argv } from 'node:process';
import { consumeAll, presentEvent } from '@orders/domain/events';
import { openDatabase, postgresCheckpoints, postgresEventFeed } from '@orders/persistence';
import { connect, DECLARED, QUEUE } from './exchange.ts';

const database = openDatabase({ url: String(argv[2]) });
const rabbit = connect(String(argv[3]));
const publisher = rabbit.createPublisher({ confirm: true, queues: [QUEUE], ...DECLARED });
const stop = new AbortController();
process.on('disconnect', () => stop.abort());

await consumeAll({
  feed: postgresEventFeed(database),
  checkpoints: postgresCheckpoints(database),
  name: 'rabbitmq',
  include: ['resource'],
  // Resolves once RabbitMQ has stored the message. Only then is the position of the event saved.
  handler: async (owner, event) => {
    const message = {
      exchange: 'orders',
      routingKey: event.type,
      messageId: event.id,
      headers: { owner },
      durable: true,
    };
    await publisher.send(message, presentEvent(event));
    process.send?.(event.position);
  },
  signal: stop.signal,
  onRetry: ({ cause }) => console.warn(String(cause)),
});
await publisher.close();
await rabbit.close();
await database.close();
