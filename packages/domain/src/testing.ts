export { aKey, anEventOf, anItem, anOrder } from './testing/builders.ts';
export { type FixedClock, fixedClock } from './testing/fixed-clock.ts';
export { type InMemoryOrderRepository, inMemoryOrderRepository } from './testing/in-memory-order-repository.ts';
export { orderRepositoryContract } from './testing/order-repository-contract/index.ts';
export type { OpenSubject, OrderRepositorySubject, TestRunner } from './testing/order-repository-contract/subject.ts';
export { sequentialIds } from './testing/sequential-ids.ts';
