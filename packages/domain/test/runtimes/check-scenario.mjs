import { deepStrictEqual } from 'node:assert';
import * as neverthrow from 'neverthrow';
import * as domain from '@orders/domain';
import * as events from '@orders/domain/events';
import { createDomain } from '@orders/domain/runtime';
import * as testing from '@orders/domain/testing';
import {
  EXPECTED,
  EXPECTED_OF_FEED,
  EXPECTED_OF_SIMULATION,
  runFeedScenario,
  runScenario,
  runSimulation,
} from './scenario.mjs';

deepStrictEqual(await runScenario(domain, neverthrow), EXPECTED);
deepStrictEqual(await runFeedScenario(events, testing), EXPECTED_OF_FEED);
deepStrictEqual(await runSimulation(testing), EXPECTED_OF_SIMULATION);

// What finds a domain of the store inside a transaction is not part of the language.
const tests = [];
const runner = { describe: (_, body) => body(), it: (name, body) => tests.push({ name, body }) };
testing.transactionContract(runner, () => {
  const store = testing.inMemoryStore();
  return { domain: createDomain(store), transaction: store.transaction };
});
for (const { name, body } of tests) {
  await body().catch((cause) => {
    throw new Error(`a transaction ${name}`, { cause });
  });
}
