import { describe, expect, it } from 'vitest';
import { readDefinition } from '../../src/definition/read-definition.ts';
import { aModule, BAKERY, BAKING } from './definition-files.ts';

/** Returns the fault of a module, without its path in front. */
async function faultOf(path: string): Promise<string> {
  const fault = (await readDefinition(path))._unsafeUnwrapErr();
  expect(fault.startsWith(path)).toBe(true);
  return fault.slice(path.length);
}

describe('the module of a definition', () => {
  it('has statuses, custom data and guards, and imports nothing', async () => {
    const guarded = `{ refusals: { late: 'It is late.' }, guards: { place: (): string => 'late' } }`;
    const path = await aModule(`export default ({ defineOrders, customFrom, z }) =>
      defineOrders({ ...${JSON.stringify(BAKERY)}, custom: ${BAKING}, ...${guarded} });`);
    const definition = (await readDefinition(path))._unsafeUnwrap();
    expect(definition.statuses).toEqual(['received', 'baking', 'ready', 'collected', 'cancelled']);
    const custom = { pick_up: '2026-02-03T07:30:00Z', allergens: ['milk'] };
    expect(definition.custom?.parse(custom)._unsafeUnwrap()).toEqual(custom);
    expect(definition.custom?.schema).toMatchObject({ type: 'object', required: ['pick_up'] });
    expect(definition.refusals).toEqual({ late: 'It is late.' });
  });

  it.each([
    [
      'a faulty definition',
      'defineOrders({ lifecycle: {} })',
      /^:1:38: defineOrders: lifecycle must have 1 to 40 statuses/,
    ],
    ['what throws', '{\n  throw new Error("no shop");\n}', ':2:9: no shop'],
    ['what throws no error', '{\n  throw "no shop";\n}', ': no shop'],
    ['invalid TypeScript', '{\n  const a: = 1;\n}', /^:2: Unexpected token `=`/],
    ['TypeScript that does not run', '1;\nenum A { B }', /^:2: TypeScript enum/],
    ['an import of nothing', '1;\nimport "nowhere"', /^: Cannot find package 'nowhere'/],
    ['a promise', 'Promise.resolve({})', /^: the function that it exports must return what defineOrders returns/],
    ['another value', '({ lifecycle: {} })', /^: the function that it exports must return what defineOrders returns/],
  ])('is one line for %s', async (_, code, fault) => {
    expect(await faultOf(await aModule(`export default ({ defineOrders }) => ${code};`))).toMatch(fault);
  });

  it('is one line for invalid JavaScript, another export, and what is no module', async () => {
    const broken = await aModule('export default () => {\n  const = 1;\n};', 'orders.mjs');
    expect(await faultOf(broken)).toMatch(/^:2: Unexpected token/);
    expect(await faultOf(await aModule('export const orders = 1;'))).toMatch(/^: must export a function by default: /);
    expect(await faultOf('/nowhere/orders.ts')).toBe(': does not exist');
    expect(await faultOf('/nowhere/orders.json')).toBe(': must be a module, whose name ends in .ts, .mts, .js or .mjs');
  });
});
