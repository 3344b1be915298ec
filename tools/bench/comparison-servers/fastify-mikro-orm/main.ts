import { serveOrders } from '../shared/fastify-app.ts';
import { store } from './store.ts';

await serveOrders(store);
