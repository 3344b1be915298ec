export { aCustomer, aKey, anEventOf, anEventOfCustomer, anItem, anOrder } from './testing/builders.ts';
export { type FixedClock, fixedClock } from './testing/fixed-clock.ts';
export { given, GIVEN_OWNER, type Given, type When } from './testing/given.ts';
export { type InMemoryStore, inMemoryStore } from './testing/in-memory/in-memory-store.ts';
export { orderRepositoryContract } from './testing/order-repository-contract/index.ts';
export type { OpenSubject, StoreSubject, TestRunner } from './testing/contract-subject.ts';
export { customerRepositoryContract } from './testing/customer-repository-contract/index.ts';
export { sequentialIds } from './testing/sequential-ids.ts';
