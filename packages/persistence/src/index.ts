export { type Database, type DatabaseOptions, openDatabase } from './database.ts';
export { postgresOrderRepository } from './orders/order-repository.ts';
