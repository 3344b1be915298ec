import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withConfigurationTable } from '../../scripts/configuration-table.ts';
import { ENVIRONMENT } from '../../src/config/config.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../../docs/reference/configuration.md'), 'utf8');

describe('the configuration reference', () => {
  it('is up to date; `pnpm generate` generates it', () => {
    expect(PAGE).toBe(withConfigurationTable(PAGE));
  });

  it('describes every variable', () => {
    const silent = Object.entries(ENVIRONMENT.shape).filter(([, { description = '' }]) => description === '');
    expect(silent.map(([name]) => name)).toEqual([]);
  });
});
