import { deepStrictEqual } from 'node:assert';
import * as neverthrow from 'neverthrow';
import * as domain from '@orders/domain';
import { EXPECTED, runScenario } from './scenario.mjs';

deepStrictEqual(await runScenario(domain, neverthrow), EXPECTED);
