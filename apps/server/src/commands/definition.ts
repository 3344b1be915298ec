import { OperatorError } from '../operator-error.ts';
import type { LocalCommand } from './command.ts';
import { print } from './print.ts';

/** Checks a definition of orders as a server does that starts with it. */
export const checkDefinition: LocalCommand = {
  usage: 'definition check FILE',
  about: 'checks a definition of orders without starting a server, and prints its statuses',
  examples: ['definition check orders.json'],
  run: async ({ positionals: [file = ''] }) => {
    // Imported late, because the other commands need no validation of JSON schemas.
    const { readDefinition } = await import('../definition/read-definition.ts');
    const { lifecycle, initial, cancel, custom } = (await readDefinition(file)).match(
      (definition) => definition,
      (faults) => {
        throw new OperatorError(faults);
      },
    );
    const roles = (status: string) =>
      [
        ...(status === initial ? ['initial'] : []),
        ...(status === cancel ? ['cancel'] : []),
        ...(lifecycle[status]?.length === 0 ? ['terminal'] : []),
      ].map((role) => ` (${role})`);
    const lines = Object.entries(lifecycle).map(([status, targets]) =>
      `${status}${roles(status).join('')}${targets.length === 0 ? '' : ` -> ${targets.join(', ')}`}`.trimEnd(),
    );
    await print(`${lines.join('\n')}\nCustom data: ${custom === null ? 'none' : 'as the schema says'}\n`);
  },
};

/** Prints the JSON schema of definition files, for editors. */
export const definitionSchema: LocalCommand = {
  usage: 'definition schema',
  about: 'prints the JSON schema of definition files, for editors',
  examples: ['definition schema'],
  run: async () => {
    const { DEFINITION_SCHEMA } = await import('../definition/definition-schema.ts');
    await print(`${JSON.stringify(DEFINITION_SCHEMA, null, 2)}\n`);
  },
};
