// What the play page needs: one store of the testing kit, and none of its contracts.
export { createDomain } from '@orders/domain/runtime';
export { inMemoryStore } from '@orders/domain/testing';
