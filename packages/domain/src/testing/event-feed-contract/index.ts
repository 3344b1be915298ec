import type { TestRunner } from '../contract-subject.ts';
import { backlogContract } from './backlog.contract.ts';
import { eventsContract } from './events.contract.ts';
import { pagesContract } from './pages.contract.ts';
import { positionsContract } from './positions.contract.ts';
import { purgesContract } from './purges.contract.ts';
import type { OpenFeedSubject } from './subject.ts';
import { waitsContract } from './waits.contract.ts';

/** Registers with `runner` every quick test that an adapter of the event feed port must pass. */
export function eventFeedContract(runner: TestRunner, open: OpenFeedSubject): void {
  positionsContract(runner, open);
  eventsContract(runner, open);
  pagesContract(runner, open);
  purgesContract(runner, open);
  waitsContract(runner, open);
}

/**
 * Registers with `runner` the tests of the event feed port that write thousands of events: in a database, they take
 * seconds. Every adapter must pass them too.
 */
export function eventFeedBacklogContract(runner: TestRunner, open: OpenFeedSubject): void {
  backlogContract(runner, open);
}
