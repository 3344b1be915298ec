export {
  changeAggregate,
  createAggregate,
  type Decision,
  deleteAggregate,
  type Destination,
  type Written,
} from './aggregates/write-aggregate.ts';
export type { NotFound } from './aggregates/get-aggregate.ts';
export {
  aBuyer,
  aCustomer,
  aFulfillment,
  aKey,
  anAddress,
  anAdjustment,
  anEventOf,
  anEventOfCustomer,
  anEventOfEndpoint,
  anItem,
  anOrder,
  aWebhookEndpoint,
} from './testing/builders.ts';
export { type FixedClock, fixedClock } from './testing/fixed-clock.ts';
export { given, GIVEN_OWNER, type Given, type GivenAggregate, type When } from './testing/given.ts';
export { type InMemoryStore, inMemoryStore } from './testing/in-memory/in-memory-store.ts';
export { orderStatisticsContract } from './testing/order-statistics-contract.ts';
export { orderRepositoryContract } from './testing/order-repository-contract/index.ts';
export type {
  EventFeedSubject,
  Open,
  OrderStatisticsSubject,
  OwnerCheckpointsSubject,
  StoreSubject,
  TestRunner,
  WebhookEndpointSubject,
  WebhookQueueSubject,
} from './testing/contract-subject.ts';
export type { DefinitionOf } from './testing/order-fixtures.ts';
export { customerRepositoryContract } from './testing/customer-repository-contract/index.ts';
export { transactionContract, type TransactionSubject } from './testing/transaction-contract.ts';
export { sequentialIds } from './testing/sequential-ids.ts';
export { checkpointsContract } from './testing/checkpoints-contract.ts';
export { ownerCheckpointsContract } from './testing/owner-checkpoints-contract.ts';
export { eventFeedBacklogContract, eventFeedContract } from './testing/event-feed-contract/index.ts';
export { webhookQueueBacklogContract, webhookQueueContract } from './testing/webhook-queue-contract/index.ts';
export { webhookEndpointRepositoryContract } from './testing/webhook-endpoint-repository-contract/index.ts';
export {
  type AnyFault,
  type CallFault,
  type Fault,
  type ResultFault,
  SimulatedFault,
  type TransactionFault,
} from './testing/faults/fault.ts';
export { type Faults, faulty, type FaultPlan, type FaultScript, type FaultyOptions } from './testing/faults/faulty.ts';
export type { FaultyPorts, PortMethod } from './testing/faults/port-calls.ts';
export { seededFaults } from './testing/faults/seeded-faults.ts';
export {
  type Replay,
  simulate,
  SimulationFailed,
  type SimulationOptions,
  type SimulationReport,
} from './testing/simulation/simulate.ts';
export type { Condition, Simulation } from './testing/simulation/run.ts';
export type { SimulatedProcess } from './testing/simulation/simulated-process.ts';
