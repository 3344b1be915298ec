import { ERROR_CATALOG } from '@orders/http-adapter';
import { describe, expect, it } from 'vitest';
import type { ApiResponse } from './a-client.ts';
import { anApi } from './an-api.ts';
import { at, membersOf, textAt } from './json.ts';
import { type Provocation, PROVOCATIONS } from './provocations.ts';

/*
 * RFC 9457, problem details. Musts that do not apply:
 * - sections 3.1, 3.1.1 and 3.2, what consumers must do: this is the generator.
 * - section 3.2, names of XML extensions: there is no XML form.
 * - section 4.1, registered types: every type is of this API's own.
 */

const EVERY = Object.entries(PROVOCATIONS);

const provoked = new Map<Provocation, Promise<ApiResponse>>();

/** Returns the response to a provocation, which is sent once for all sections. */
function problemOf(provocation: Provocation): Promise<ApiResponse> {
  const problem = provoked.get(provocation) ?? provokeAgain(provocation);
  provoked.set(provocation, problem);
  return problem;
}

async function provokeAgain({ provoke, wanted }: Provocation): Promise<ApiResponse> {
  return await provoke(await anApi(wanted));
}

describe.each(EVERY)('RFC 9457: the problem %s', (code, provocation) => {
  it('section 3: is a JSON object of the type application/problem+json', async () => {
    const { headers, body } = await problemOf(provocation);
    expect(headers['content-type']).toBe('application/problem+json');
    expect(membersOf(body)).toContain('type');
  });

  it('section 3.1: has members of the required types', async () => {
    const { body } = await problemOf(provocation);
    for (const member of ['type', 'title', 'detail', 'instance']) expect(textAt(body, member)).not.toBe('');
    expect(Number.isInteger(at(body, 'status'))).toBe(true);
  });

  it('section 3.1.1: has a type that is an absolute URI without a fragment', async () => {
    const { body } = await problemOf(provocation);
    const type = textAt(body, 'type');
    expect(new URL(type).href).toBe(type);
    expect(type).not.toContain('#');
  });

  it('section 3.1.2: has the status of its response', async () => {
    const { status, body } = await problemOf(provocation);
    expect(at(body, 'status')).toBe(status);
  });

  it('section 3.1.3: has the same title in every occurrence', async () => {
    const { body } = await problemOf(provocation);
    expect(Object.entries(ERROR_CATALOG).find(([name]) => name === code)?.[1].title).toBe(textAt(body, 'title'));
  });

  it('section 3.1.5: has a unique instance that is a URI', async () => {
    const instances = [];
    for (const { body } of [await problemOf(provocation), await provokeAgain(provocation)]) {
      instances.push(textAt(body, 'instance'));
    }
    expect(instances.every((instance) => URL.canParse(instance))).toBe(true);
    expect(new Set(instances).size).toBe(2);
  });

  it('section 3.2: has further members with names of letters, digits and _ that begin with a letter', async () => {
    const { body } = await problemOf(provocation);
    expect(membersOf(body).filter((name) => !/^[A-Za-z][A-Za-z0-9_]{2,}$/.test(name))).toEqual([]);
  });

  it('section 5: reveals no internals of the server', async () => {
    const { text } = await problemOf(provocation);
    expect(text).not.toMatch(/hidden cause|stack|node_modules|fastify|\bat [^"]+:\d+:\d+/i);
  });
});

describe('RFC 9457 section 4', () => {
  it('gives each problem its own type, with its status', async () => {
    const types = [];
    for (const [, provocation] of EVERY) types.push(textAt((await problemOf(provocation)).body, 'type'));
    expect(new Set(types).size).toBe(Object.keys(ERROR_CATALOG).length);
  });
});
