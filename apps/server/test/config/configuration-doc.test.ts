import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withConfigurationTable } from '../../scripts/configuration-table.ts';
import { ENVIRONMENT } from '../../src/config/config.ts';

const [CONFIGURATION, README] = ['docs/reference/configuration.md', 'README.md'].map((name) =>
  readFileSync(join(import.meta.dirname, '../../../..', name), 'utf8'),
);

describe('the configuration reference', () => {
  it('is up to date; `pnpm generate` generates it', () => {
    expect(CONFIGURATION).toBe(withConfigurationTable(CONFIGURATION ?? ''));
  });

  it('describes every variable', () => {
    const silent = Object.entries(ENVIRONMENT.shape).filter(([, { description = '' }]) => description === '');
    expect(silent.map(([name]) => name)).toEqual([]);
  });

  it('contains every variable that the README refers to', () => {
    const [, section = ''] = /## Configuration\n(.*?)\n## /s.exec(README ?? '') ?? [];
    const named = [...section.matchAll(/`([A-Z]{2,}(?:_[A-Z]+)*)`/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !(name in ENVIRONMENT.shape))).toEqual([]);
  });
});
