import { Connection } from 'rabbitmq-client';

const EXCHANGE = { exchange: 'orders', type: 'topic', durable: true } as const;
/** The queue of the receiver. A quorum queue confirms a message once it is on the disks of most nodes. */
export const QUEUE = { queue: 'turnover', durable: true, arguments: { 'x-queue-type': 'quorum' } } as const;

/** What both sides declare: an event that is published before there is a queue would be lost. */
export const DECLARED = {
  exchanges: [EXCHANGE],
  queueBindings: [{ exchange: EXCHANGE.exchange, queue: QUEUE.queue, routingKey: 'order.*' }],
};

/** Connects to RabbitMQ, also again after it was lost. */
export function connect(url: string): Connection {
  const rabbit = new Connection({ url, retryLow: 100, retryHigh: 1000 });
  return rabbit.on('error', (cause) => console.warn(String(cause)));
}
