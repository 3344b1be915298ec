import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { SCHEMA_PARTS_MAX } from '../../src/definition/inline-references.ts';
import { PATTERN_SIZE_MAX } from '../../src/definition/linear-pattern.ts';
import { DEFINITION_BYTES_MAX, DEFINITION_DEPTH_MAX, readDefinition } from '../../src/definition/read-definition.ts';
import { aDefinitionFile, aFileWithCustom, BAKERY, BAKING } from './definition-files.ts';
import { aFolder } from '../programs/running-server.ts';

/** Returns the faults of a file, without the path of the file in front. */
async function faultsOf(path: string): Promise<readonly string[]> {
  const faults = (await readDefinition(path))._unsafeUnwrapErr();
  for (const line of faults) expect(line.startsWith(path)).toBe(true);
  return faults.map((line) => line.slice(path.length));
}

async function faultsOfCustom(custom: unknown): Promise<readonly string[]> {
  return (await faultsOf(await aFileWithCustom(custom))).map((line) => line.replace(/^#\/custom/, ''));
}

/** Returns a value that is nested `depth` times. */
function nested(depth: number): unknown {
  return depth === 0 ? 1 : { a: nested(depth - 1) };
}

describe('a definition file', () => {
  it('has the statuses and the custom data of orders', async () => {
    const path = await aDefinitionFile({ $schema: 'definition.schema.json', ...BAKERY, custom: BAKING });
    const definition = (await readDefinition(path))._unsafeUnwrap();
    expect(definition.statuses).toEqual(['received', 'baking', 'ready', 'collected', 'cancelled']);
    expect([definition.initial, definition.cancel]).toEqual(['received', 'cancelled']);
    const custom = { pick_up: '2026-02-03T07:30:00Z', allergens: ['milk'] };
    expect(definition.custom?.parse(custom)._unsafeUnwrap()).toEqual(custom);
  });

  it('has required statuses, and whether custom data are required', async () => {
    const rules = { requires: { collected: ['ready'] }, custom_required: true };
    const definition = (
      await readDefinition(await aDefinitionFile({ ...BAKERY, custom: BAKING, ...rules }))
    )._unsafeUnwrap();
    expect(definition).toMatchObject({ requires: rules.requires, custom: { required: true } });
    expect(Object.keys(definition.refusals)).toEqual(['status_required']);
    const wrong = { ...BAKERY, requires: { collected: ['sold'] }, custom_required: 'yes' };
    expect(await faultsOf(await aDefinitionFile(wrong))).toEqual([
      '#/requires/collected: the status "collected" and those it requires must be known',
      '#/custom_required: must be true or false',
    ]);
  });

  it('may have no custom data, and a byte order mark', async () => {
    const path = await aDefinitionFile(`\ufeff${JSON.stringify(BAKERY)}`);
    expect((await readDefinition(path))._unsafeUnwrap().custom).toBeNull();
  });

  it('has its faults reported together, each with the JSON pointer of the member', async () => {
    const path = await aDefinitionFile({
      lifecycle: { open: ['dne', 'open'], done: [], 'a/b~c': [] },
      cancel: 'over',
      colour: 'red',
      custom: { type: 'objects', properties: { a: { typ: 'string' } } },
    });
    expect(await faultsOf(path)).toEqual([
      '#/colour: is unknown; the members are $schema, lifecycle, initial, cancel, requires, custom, custom_required',
      '#/initial: is required',
      '#/lifecycle/open/0: the status "open" leads to "dne", which is unknown',
      '#/lifecycle/open/1: the status "open" leads to itself',
      '#/lifecycle/a~1b~0c: the status "a/b~c" must be 1 to 30 of a-z, 0-9 and _, the first a letter',
      '#/cancel: the cancel status "over" is unknown',
      '#/custom/type: must be one of array, boolean, integer, null, number, object, string or an array',
      '#/custom/properties/a/typ: is not a known keyword',
    ]);
  });

  it('has at most a hundred faults reported', async () => {
    const targets = Array.from({ length: 150 }, (_, at) => `s${at}`);
    const path = await aDefinitionFile({ lifecycle: { open: targets, done: [] }, initial: 'open', cancel: 'done' });
    const faults = await faultsOf(path);
    expect(faults).toHaveLength(101);
    expect(faults.at(-1)).toBe(': 51 more faults');
  });

  it.each([
    ['no JSON', '{ "lifecycle": }', /^: is not valid JSON: Unexpected token '}'/],
    ['no object', [], /^: must be an object$/],
    ['custom data that is no schema', { ...BAKERY, custom: true }, /^#\/custom: must be a JSON schema/],
  ])('is rejected with %s', async (_, content, fault) => {
    const [first, ...others] = await faultsOf(await aDefinitionFile(content));
    expect(first).toMatch(fault);
    expect(others).toEqual([]);
  });

  it('is rejected with a member that occurs twice, with its lines, beside its other faults', async () => {
    const path = await aDefinitionFile(`{
      "lifecycle": { "open": ["done", "open"], "done": [],
        "open": ["done"] },
      "initial": "open", "cancel": "done",
      "custom": { "type": "object", "properties": {
        "a": { "enum": ["a", "a, {", { "a": "a", "b": [{}, { "__proto__": 1, "__proto__": 1 }] }, "\\\\"] },
        "b": { "type": "string" },
        "\\u0061": { "const": {} } } },
      "custom": {},
      "custom": { "typ": 1 }
    }`);
    expect(await faultsOf(path)).toEqual([
      '#/lifecycle/open: must occur once, got it on line 2 and line 3',
      '#/custom/properties/a/enum/2/b/1/__proto__: must occur once, got it on line 6 and line 6',
      '#/custom/properties/a: must occur once, got it on line 6 and line 8',
      '#/custom: must occur once, got it on line 5 and line 9',
      '#/custom: must occur once, got it on line 5 and line 10',
      '#/custom/typ: is not a known keyword',
    ]);
  });

  it('is nested to its maximum depth also in a member that occurs again', async () => {
    const deep = '['.repeat(DEFINITION_DEPTH_MAX) + ']'.repeat(DEFINITION_DEPTH_MAX);
    expect(await faultsOf(await aDefinitionFile(`{ "cancel": ${deep}, "cancel": "open" }`))).toEqual([
      `: must be nested at most ${DEFINITION_DEPTH_MAX} times`,
    ]);
  });

  it('is rejected if it cannot be read', async () => {
    expect(await faultsOf('/nowhere/orders.json')).toEqual([expect.stringMatching(/^: cannot be read: ENOENT/)]);
    expect(await faultsOf(await aFolder())).toEqual([expect.stringMatching(/^: cannot be read: EISDIR/)]);
  });

  it('is rejected unless it is UTF-8', async () => {
    const path = await aDefinitionFile('');
    await writeFile(path, Buffer.from('{"lifecycle":"\xe9"}', 'latin1'));
    expect(await faultsOf(path)).toEqual([expect.stringMatching(/^: line 1 is not UTF-8/)]);
  });

  it('is read up to its maximum size, so that an endless one ends', async () => {
    const text = JSON.stringify(BAKERY);
    expect((await readDefinition(await aDefinitionFile(text.padEnd(DEFINITION_BYTES_MAX)))).isOk()).toBe(true);
    const fault = `: must have at most ${DEFINITION_BYTES_MAX} bytes`;
    expect(await faultsOf(await aDefinitionFile(text.padEnd(DEFINITION_BYTES_MAX + 1)))).toEqual([fault]);
    expect(await faultsOf('/dev/zero')).toEqual([fault]);
  });

  it('is nested to its maximum depth', async () => {
    const fault = `: must be nested at most ${DEFINITION_DEPTH_MAX} times`;
    // The file and its schema are two levels.
    expect(await faultsOfCustom({ default: nested(DEFINITION_DEPTH_MAX - 2), typ: 1 })).toEqual([
      '/typ: is not a known keyword',
    ]);
    expect(await faultsOfCustom({ default: nested(DEFINITION_DEPTH_MAX - 1) })).toEqual([fault]);
    expect(await faultsOf(await aDefinitionFile('['.repeat(100_000) + ']'.repeat(100_000)))).toEqual([fault]);
  });
});

describe('the schema of custom data in a definition file', () => {
  it.each([
    [
      { $schema: 'http://json-schema.org/draft-07/schema#' },
      '/$schema: must be https://json-schema.org/draft/2020-12/schema',
    ],
    [{ required: 'a' }, '/required: must be an array'],
    [{ type: 'string', minLength: -1 }, '/minLength: must be at least 0'],
    [{ type: 'string', format: 'colour' }, /^\/format: must be one of binary, byte, date, /],
    [{ type: 'string', format: 'url' }, /^\/format: must be one of /],
    [{ $dynamicRef: '#a' }, '/$dynamicRef: is not a known keyword'],
    [{ properties: { a: { $id: 'a' } } }, '/properties/a/$id: is not a known keyword'],
    [{ 'x-colour': 'red' }, '/x-colour: is not a known keyword'],
    [{ $ref: 'https://example.com/a.json' }, '/$ref: must lead to a schema in this file, such as #/$defs/name'],
    [{ $ref: 'other.json#/a' }, '/$ref: must lead to a schema in this file, such as #/$defs/name'],
    [{ $ref: '#a' }, '/$ref: must lead to a schema in this file, such as #/$defs/name'],
    [{ $ref: '#/$defs/a', $defs: {} }, '/$ref: leads to no schema'],
    [{ $ref: '#/$defs/toString', $defs: {} }, '/$ref: leads to no schema'],
    [{ items: { $ref: '#' }, type: 'array' }, '/items/$ref: must not lead back to a schema that contains it'],
    [{ type: 'string', pattern: '(' }, /^\/pattern: Invalid regular expression/],
    [{ type: 'string', pattern: '^(?=a)b' }, /^\/pattern: is not supported, as its time would not be bounded/],
    [{ type: 'string', pattern: String.raw`(a)\1` }, /^\/pattern: is not supported, as its time would not be bounded/],
    [{ type: 'string', pattern: '(a{0,100}){0,100}' }, /^\/pattern: is (too large|not supported)/],
    [
      { type: 'object', patternProperties: { '(?!a)': true } },
      '/patternProperties/(?!a): is not supported, as its time would not be bounded: invalid or unsupported Perl syntax: `(?!`',
    ],
    [{ properties: { a: true } }, ': has no effect (strict mode): missing type "object" for keyword "properties"'],
    [
      { type: 'object', properties: { 'a/b c': { minLength: 1 } } },
      '/properties/a~1b c: has no effect (strict mode): missing type "string" for keyword "minLength"',
    ],
    [{ type: 'string', format: 'date', formatMinimum: 7 }, /^\/formatMinimum: must be a text, or a member such as/],
    [{ type: 'string', format: 'date', formatMinimum: { $data: '/from' } }, /^\/formatMinimum: must be a text, or/],
    [{ type: 'string', formatMinimum: '2026-01-01' }, /^: cannot be compiled: parent schema must have dependencies/],
    [{ type: 'string', format: 'email', formatMinimum: 'a' }, /^: cannot be compiled: "formatMinimum": format "email"/],
    [{ const: { $data: '1/a' } }, /^\/const: cannot be a member: only formatMinimum, /],
    [{ if: true }, ': has no effect (strict mode): "if" without "then" and "else" is ignored'],
  ])('is rejected: %j', async (schema, expected) => {
    const [first, ...others] = await faultsOfCustom(schema);
    expect(first).toMatch(expected);
    expect(others).toEqual([]);
  });

  it('has every keyword without effect reported', async () => {
    const schema = { type: 'object', properties: { a: { minLength: 1 }, b: { minItems: 1 } } };
    expect(await faultsOfCustom(schema)).toHaveLength(2);
  });

  it('must not lead back to itself by way of other references', async () => {
    const $defs = { a: { $ref: '#/$defs/b' }, b: { type: 'array', items: { $ref: '#/$defs/a' } } };
    expect(await faultsOfCustom({ $ref: '#/$defs/a', $defs })).toEqual([
      '/$defs/b/items/$ref: must not lead back to a schema that contains it',
    ]);
  });

  it('must not grow without bounds by references that double it', async () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => {
        const $ref = `#/$defs/d${at + 1}`;
        return [`d${at}`, at === 59 ? { type: 'string' } : { allOf: [{ $ref }, { $ref }] }];
      }),
    );
    expect(await faultsOfCustom({ $ref: '#/$defs/d0', $defs })).toEqual([
      `: must have at most ${SCHEMA_PARTS_MAX} parts, each counted as often as references lead to it`,
    ]);
  });

  it('may have patterns up to a size', async () => {
    const ofLength = (length: number) => ({ type: 'string', pattern: `^${'a'.repeat(length)}$` });
    expect(await faultsOfCustom(ofLength(PATTERN_SIZE_MAX))).toEqual([
      expect.stringMatching(/^\/pattern: is too large/),
    ]);
    expect((await readDefinition(await aFileWithCustom(ofLength(PATTERN_SIZE_MAX - 10)))).isOk()).toBe(true);
  });

  it('is whole where it is published, with a copy in place of each reference', async () => {
    const $defs = { day: { type: 'string', format: 'date' }, 'a/b': { $ref: '#/$defs/day' } };
    const properties = { from: { $ref: '#/$defs/day' }, until: { $ref: '#/$defs/a~1b', description: 'the last day' } };
    const path = await aFileWithCustom({ $id: 'https://example.com/custom', type: 'object', properties, $defs });
    expect((await readDefinition(path))._unsafeUnwrap().custom?.schema).toEqual({
      type: 'object',
      properties: {
        from: { type: 'string', format: 'date' },
        until: { description: 'the last day', allOf: [{ type: 'string', format: 'date' }] },
      },
    });
  });
});
