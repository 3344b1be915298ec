import type { OrderDefinition } from '@orders/domain';
import type { DefinitionPlan } from '../definition/definition-plan.ts';
import { OperatorError } from '../operator-error.ts';
import type { Command, LocalCommand } from './command.ts';
import { JSON_OUTPUT } from './list-output.ts';
import { ofEachOwner, OWNER } from './owner.ts';
import { print } from './print.ts';

/** Checks a definition of orders as a server does that starts with it. */
export const checkDefinition: LocalCommand = {
  usage: 'definition check <file>',
  about: 'runs the module of a definition without starting a server, and prints its statuses',
  examples: ['definition check orders.definition.ts'],
  run: async ({ positionals: [file = ''] }) => {
    const { lifecycle, initial, cancel, custom } = await definitionIn(file);
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

/** Compares the definitions of two modules. */
export const planDefinition: LocalCommand = {
  usage: 'definition plan <old> <new>',
  about: 'prints what a new definition means for orders, servers and clients, and the steps to it',
  options: [JSON_OUTPUT],
  examples: ['definition plan orders.definition.ts next.definition.ts'],
  run: async ({ positionals: [old = '', next = ''], flags }) => {
    const { planDefinition: compare } = await import('../definition/plan-definition.ts');
    const plan = compare(await definitionIn(old), await definitionIn(next));
    await print(flags.has('json') ? `${JSON.stringify(plan, null, 2)}\n` : describePlan(plan));
  },
};

/** Makes the lookups of orders again, one owner after the other. May be repeated, and run beside servers. */
export const rebuildLookups: Command = {
  usage: 'lookups rebuild',
  records: () => ({ action: 'rebuild_lookups', subject: null }),
  about: 'lets orders of an owner, or of all, be found by the lookups of the definition',
  options: [OWNER],
  examples: ['lookups rebuild', 'lookups rebuild --owner shop'],
  prepare: ofEachOwner(async (owners, { database }) => {
    const { rebuildLookups: rebuild } = await import('@orders/persistence');
    let count = 0;
    for await (const each of owners) count += await rebuild(database, each);
    await print(count === 1 ? '1 order had other lookups.\n' : `${count} orders had other lookups.\n`);
  }),
};

function describePlan({ rolling, unreadable, stranded, clients, steps }: DefinitionPlan): string {
  const REASONS = { removed: 'NEW lacks it', no_terminal_status: 'NEW leads from it to no terminal status' };
  const section = (title: string, lines: readonly string[]) =>
    `${title}\n${lines.length === 0 ? '  none' : lines.map((line) => `  ${line}`).join('\n')}\n`;
  return [
    `Servers with OLD and NEW side by side: ${rolling}\n`,
    ...(unreadable.length === 0
      ? []
      : [
          section(
            'Orders unavailable meanwhile',
            unreadable.map(({ status, lacking }) => `in ${status}, which ${lacking.toUpperCase()} lacks`),
          ),
        ]),
    section(
      'Stranded orders',
      stranded.map(({ status, reason }) => `in ${status}: ${REASONS[reason]}`),
    ),
    section('Clients', clients),
    section(
      'Steps',
      steps.map((step, index) => `${index + 1}. ${step}`),
    ),
  ].join('\n');
}

/**
 * Runs the module of a definition.
 *
 * @throws {OperatorError} it has a fault
 */
async function definitionIn(file: string): Promise<OrderDefinition> {
  // Imported late, because the other commands need no schema library.
  const { readDefinition } = await import('../definition/read-definition.ts');
  return (await readDefinition(file)).match(
    (definition) => definition,
    (fault) => {
      throw new OperatorError([fault]);
    },
  );
}
