import { execFileSync } from 'node:child_process';
import { cpus, release, totalmem } from 'node:os';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Client } from 'pg';

/** The packages that affect the figures of Orders, and the folders that depend on them. */
const PACKAGES = [
  ['fastify', 'apps/server'],
  ['pg', 'tools/bench'],
  ['@mikro-orm/postgresql', 'packages/persistence'],
] as const;
/** Further packages of the comparison servers. Both have the same versions of the packages above. */
const COMPARED_PACKAGES = ['express', '@prisma/client', '@nestjs/core', 'typeorm'].map(
  (name) => [name, 'tools/bench/comparison-servers'] as const,
);
const REPOSITORY = join(import.meta.dirname, '../../../..');

/** Returns the machine, the versions and the commit of a run, as a Markdown list. */
export async function describeRun(client: Client, { compared }: { readonly compared: boolean }): Promise<string> {
  const { rows } = await client.query<{ readonly server_version: string }>('show server_version');
  const processors = cpus();
  const packages = compared ? [...PACKAGES, ...COMPARED_PACKAGES] : PACKAGES;
  return [
    `- ${processors.length} × ${processors[0]?.model ?? 'unknown'}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Linux ${release().replace(/-.*/, '')}`,
    `- Node.js ${process.versions.node}, PostgreSQL ${rows[0]?.server_version ?? 'unknown'}`,
    `- ${packages.map(([name, folder]) => `${name} ${versionOf(name, folder)}`).join(', ')}`,
    `- commit ${commit()}`,
  ].join('\n');
}

function versionOf(name: string, folder: string): string {
  const read = createRequire(import.meta.url);
  const found: unknown = read(join(REPOSITORY, folder, 'node_modules', name, 'package.json'));
  const version = typeof found === 'object' && found !== null && 'version' in found ? found.version : undefined;
  return typeof version === 'string' ? version : 'unknown';
}

function commit(): string {
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: REPOSITORY, encoding: 'utf8' }).trim();
  try {
    return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain') === '' ? '' : ', with changes'}`;
  } catch {
    return 'unknown';
  }
}
