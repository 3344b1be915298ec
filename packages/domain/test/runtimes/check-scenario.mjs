import { deepStrictEqual } from 'node:assert';
import * as neverthrow from 'neverthrow';
import * as domain from '@orders/domain';
import * as events from '@orders/domain/events';
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
