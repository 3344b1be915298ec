import { deepStrictEqual } from 'node:assert';
import * as neverthrow from 'neverthrow';
import * as domain from '@orders/domain';
import { EXPECTED, tellStory } from './story.mjs';

deepStrictEqual(await tellStory(domain, neverthrow), EXPECTED);
