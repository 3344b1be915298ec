// node check-scenario.mjs BASE_URL API_KEY LABEL
import { deepStrictEqual } from 'node:assert';
import process from 'node:process';
import * as client from '@orders/client';
import { EXPECTED, runScenario } from './scenario.mjs';

const [baseUrl, apiKey, label] = process.argv.slice(2);
deepStrictEqual(await runScenario(client, { baseUrl, apiKey, label }), EXPECTED);
