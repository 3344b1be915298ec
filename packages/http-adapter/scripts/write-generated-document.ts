// Writes the document of a generated definition, with forty statuses and custom data, to the file that the argument names, and
// that of the listener for operators beside it.
// The linters read it: nothing in openapi.json has the shape of custom data, or names with digits.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defineOrders, ORDER_STATUSES_MAX } from '@orders/domain';
import fc from 'fast-check';
import { BAKERY } from '../test/fixtures/a-bakery.ts';
import { definitions } from '../test/fuzz/generated-definitions.ts';
import { currentDocument, currentOperatorDocument } from './current-document.ts';

const [, , file] = process.argv;
if (file === undefined) throw new Error('usage: write-generated-document.ts FILE');
const [generated] = fc.sample(definitions(ORDER_STATUSES_MAX), { seed: 20_260_102, numRuns: 1 });
if (generated === undefined) throw new Error('no definition was generated');
const { lifecycle, initial, cancel } = generated;
const definition = defineOrders({ lifecycle, initial, cancel, custom: BAKERY.custom });
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, `${JSON.stringify(currentDocument({ definition }), undefined, 2)}\n`);
writeFileSync(join(dirname(file), 'operators.json'), `${JSON.stringify(currentOperatorDocument(), undefined, 2)}\n`);
