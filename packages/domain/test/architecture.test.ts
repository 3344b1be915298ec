import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const src = join(import.meta.dirname, '../src');
const sources = globSync('**/*.ts', { cwd: src });

it('has no word of HTTP in the sources of the domain', () => {
  const words =
    /\bhttp\b|unauthenticated|rate_limited|insufficient_scope|idempotency-key|if-match|\betag|entity tag|\bheader|retry-after/i;
  expect(sources).toContain('orders/order.ts');
  expect(sources.filter((path) => words.test(readFileSync(join(src, path), 'utf8')))).toEqual([]);
});
