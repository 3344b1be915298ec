import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { breaches } from './source-rules.ts';

const src = join(import.meta.dirname, '../src');
const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts'));
// Outside are the entry point for tests and the files with what every runtime has: clock, random numbers, timers.
const files = sources.filter((path) => !/^(testing\/|(testing|runtime|events\/timer)\.ts$)/.test(path));

describe('the domain', () => {
  it('is checked in all its files', () => {
    expect(files.length).toBeGreaterThan(25);
    expect(files).toEqual(expect.arrayContaining(['index.ts', 'ports.ts', 'orders/order.ts', 'shared/clock.ts']));
    expect(files.filter((path) => path.includes('test'))).toEqual([]);
  });

  it('has no word of HTTP', () => {
    const words =
      /\bhttp\b|unauthenticated|rate_limited|insufficient_scope|idempotency-key|if-match|\betag|entity tag|\bheader|retry-after/i;
    expect(sources.filter((path) => words.test(readFileSync(join(src, path), 'utf8')))).toEqual([]);
  });

  it.each(files)('imports only neverthrow and itself, and depends only on its ports: %s', (path) => {
    expect(breaches(path, readFileSync(join(src, path), 'utf8'))).toEqual([]);
  });
});

describe('the check of the domain sources', () => {
  it.each([
    [`import { readFile } from 'node:fs';`, 'imports node:fs'],
    [`import type { Stats } from 'node:fs';`, 'imports node:fs'],
    [`import 'node:fs';`, 'imports node:fs'],
    [`import fs = require('node:fs');`, 'imports by require'],
    [`import {\n  z,\n} from "zod"`, 'imports zod'],
    [`import { ok } from 'neverthrow/dist';`, 'imports neverthrow/dist'],
    [`import { ok } from '@orders/domain';`, 'imports @orders/domain'],
    [`export * from 'zod';`, 'imports zod'],
    [`export { z } from 'zod';`, 'imports zod'],
    [`export type Stats = import('node:fs').Stats;`, 'imports node:fs'],
    [`const fs = await import('node:fs');`, 'imports node:fs'],
    [`const fs = await import(name);`, 'imports a computed specifier'],
    [`import { anOrder } from '../testing.ts';`, 'imports ../testing.ts'],
    [`import { anOrder } from '../testing/builders.ts';`, 'imports ../testing/builders.ts'],
    [`import { x } from '../../test/a-domain.ts';`, 'imports ../../test/a-domain.ts'],
    [`import { x } from '../shared/../../x.ts';`, 'imports ../shared/../../x.ts'],
    [`import { x } from './../../src/../x.ts';`, 'imports ./../../src/../x.ts'],
    [`import { x } from '../../src/testing.ts';`, 'imports ../../src/testing.ts'],
    [`import { x } from '../../../domain/src/index.ts';`, 'imports ../../../domain/src/index.ts'],
    [`import { x } from '/etc/x.ts';`, 'imports /etc/x.ts'],
    [`const fs = require('node:fs');`, 'uses require'],
    [`const here = import.meta.url;`, 'uses import.meta'],
    [`const now = Date.now();`, 'uses Date.now'],
    [`const now = Date\n  .now();`, 'uses Date.now'],
    [`const now = Date?.now();`, 'uses Date.now'],
    [`const now = Date['now']();`, 'uses Date'],
    [`const { now } = Date;`, 'uses Date'],
    [`const Time = Date;`, 'uses Date'],
    [`const now = new Date();`, 'uses Date'],
    [`const now = new Date;`, 'uses Date'],
    [`const now = new Date(...[]);`, 'uses Date'],
    [`const now = Date();`, 'uses Date'],
    [`class Time extends Date {}`, 'uses Date'],
    [`const now = Temporal.Now.instant();`, 'uses Temporal'],
    [`const die = Math.random();`, 'uses Math.random'],
    [`const die = Math['random']();`, 'uses Math'],
    [`const { random } = Math;`, 'uses Math'],
    [`const id = crypto.randomUUID();`, 'uses crypto'],
    [`const id = globalThis.crypto.randomUUID();`, 'uses globalThis'],
    [`const home = process.env['HOME'];`, 'uses process'],
    [`const all = { process };`, 'uses process'],
    [`const member = order[process];`, 'uses process'],
    [`void fetch('https://example.com');`, 'uses fetch'],
    [`const get = fetch;`, 'uses fetch'],
    [`setTimeout(() => {}, 1);`, 'uses setTimeout'],
    [`setInterval(() => {}, 1);`, 'uses setInterval'],
    [`queueMicrotask(() => {});`, 'uses queueMicrotask'],
    [`console.log('here');`, 'uses console'],
    ['const text = `${console.log(1)}`;', 'uses console'],
    [`const now = new Intl.DateTimeFormat().format();`, 'uses Intl'],
    [`const start = performance.now();`, 'uses performance'],
    [`eval('1');`, 'uses eval'],
    [`new Function('return 1')();`, 'uses Function'],
  ])('reports %j', (source, breach) => {
    expect(breaches('orders/invalid.ts', source)).toEqual([breach]);
  });

  it.each([
    `import { ok } from 'neverthrow';`,
    `import type { Order } from './order.ts';`,
    `import { at } from '../shared/validation.ts';`,
    `// console.log(Date.now())`,
    `/* import 'node:fs' */`,
    `const text = "Math.random() and import('node:fs')";`,
    `const at = new Date(milliseconds); const day: Date = at; const then = Date.parse(text);`,
    `const most = Math.max(1, 2);`,
    `const { fetch: load } = ports; ports.process(); const fields = { console: 1 };`,
    `interface Ports { readonly crypto: string; fetch(): void }`,
  ])('accepts %j', (source) => {
    expect(breaches('orders/valid.ts', source)).toEqual([]);
  });

  it('reports every breach of a file', () => {
    const source = `import 'zod';\nconst now = () => Date.now();\nconsole.log(now());`;
    expect(breaches('invalid.ts', source)).toEqual(['imports zod', 'uses Date.now', 'uses console']);
  });

  it('throws for source that it cannot parse', () => {
    expect(() => breaches('invalid.ts', 'const = ;')).toThrow('Unexpected token');
  });
});
