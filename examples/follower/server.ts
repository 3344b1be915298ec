// A server with the event feed, which sends its address; ends when it is disconnected.
import { argv } from 'node:process';
import { createDomain } from '@orders/domain/runtime';
import { apiKeys, authenticateBy, ordersHttp } from '@orders/http-adapter';
import { openDatabase, postgresApiKeys, postgresEventFeed, postgresStore } from '@orders/persistence';
import { fastify } from 'fastify';

const database = openDatabase({ url: String(argv[2]) });
const app = fastify();
await app.register(ordersHttp, {
  domain: createDomain(postgresStore(database)),
  feed: postgresEventFeed(database),
  authentication: authenticateBy(apiKeys(postgresApiKeys(database))),
  publicBaseUrl: 'https://api.example.com',
  // The follower reads more often than 600 times a minute while the check places orders without a pause.
  rateLimits: { read: 0 },
});
process.on('disconnect', () => process.exit());
process.send?.(await app.listen({ host: '127.0.0.1', port: Number(argv[3]) }));
