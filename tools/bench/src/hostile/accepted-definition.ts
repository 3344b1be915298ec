import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type HostileDefinition, hostileDefinition } from './definitions.ts';

/** A definition in a file from which a server starts. */
export interface AcceptedDefinition extends HostileDefinition {
  readonly path: string;
}

/** The number of times that a definition which the server rejects is made smaller. */
const SMALLER_MAX = 4;

const run = promisify(execFile);
const CLI = join(import.meta.dirname, '../../../../apps/server/src/cli.ts');

/** Writes a definition that the server accepts to a file. Appends the titles of those that it rejects. */
export async function acceptedDefinition(
  seed: number,
  at: number,
  path: string,
  rejected: string[],
): Promise<AcceptedDefinition | undefined> {
  for (let smaller = 0; smaller < SMALLER_MAX; smaller += 1) {
    const definition = hostileDefinition(seed, at, smaller);
    await writeFile(path, JSON.stringify(definition.file));
    const accepted = await run(process.execPath, ['--conditions=source', CLI, 'definition', 'check', path]).then(
      () => true,
      () => false,
    );
    if (accepted) return { ...definition, path };
    rejected.push(definition.title);
  }
  return undefined;
}
