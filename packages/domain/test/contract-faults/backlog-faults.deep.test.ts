import { describe } from 'vitest';
import { backlogFaults } from './feed-faults.ts';
import { itFinds, store } from './it-finds.ts';

describe('the contract kit, with thousands of events', () => {
  itFinds(backlogFaults, store.backlogTestsOf);
});
