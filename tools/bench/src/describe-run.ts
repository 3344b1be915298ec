import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Client } from 'pg';
import { z } from 'zod';

const REPOSITORY = join(import.meta.dirname, '../../..');

/** The packages that affect the figures, and the folders that depend on them. */
const PACKAGES = [
  ['fastify', 'apps/server'],
  ['pg', 'tools/bench'],
  ['@mikro-orm/postgresql', 'packages/persistence'],
] as const;

/** Further packages of the comparison servers. Both have the same versions of the packages above. */
export const COMPARED_PACKAGES = ['express', '@prisma/client', '@nestjs/core', 'typeorm'].map(
  (name) => [name, 'tools/bench/comparison-servers'] as const,
);

/** Returns the machine, the versions and the commit of a run, as a Markdown list. */
export async function describeRun(
  client: Client,
  packages: readonly (readonly [string, string])[] = [],
): Promise<string> {
  const { rows } = await client.query<{ readonly server_version: string }>('show server_version');
  const processors = cpus();
  const memory = (totalmem() / 2 ** 30).toFixed(0);
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: REPOSITORY, encoding: 'utf8' }).trim();
  return [
    `- ${processors.length} × ${processors[0]?.model ?? 'unknown'}, ${memory} GiB, Linux ${release().replace(/-.*/, '')}`,
    `- Node.js ${process.versions.node}, PostgreSQL ${rows[0]?.server_version ?? 'unknown'}`,
    `- ${[...PACKAGES, ...packages].map(([name, folder]) => `${name} ${versionOf(name, folder)}`).join(', ')}`,
    `- commit ${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain') === '' ? '' : ', with changes'}`,
  ].join('\n');
}

function versionOf(name: string, folder: string): string {
  const manifest = readFileSync(join(REPOSITORY, folder, 'node_modules', name, 'package.json'), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(manifest)).version;
}
