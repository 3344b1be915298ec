import { join } from 'node:path';
import { type OrderDefinition, ORDERS } from '@orders/domain';
import { expect, it } from 'vitest';

const DOCUMENT = join(import.meta.dirname, '../../../../docs/reference/order-lifecycle.md');

/** Returns the document of a lifecycle. `vitest run --project domain -u` writes that of the default one again. */
function describeLifecycle({ lifecycle, initial, cancel }: OrderDefinition): string {
  const entries = Object.entries(lifecycle);
  const arrows = entries.flatMap(([from, targets]) => targets.map((to) => `  ${from} --> ${to}`));
  const ends = entries.filter(([, targets]) => targets.length === 0).map(([status]) => `  ${status} --> [*]`);
  const rows = entries.map(([from, targets]) => {
    const to = targets.map((target) => `\`${target}\``).join(', ');
    return `- \`${from}\` may become ${to === '' ? 'nothing' : to}`;
  });
  return `# The lifecycle of an order

Generated from \`packages/domain/src/orders/order-lifecycle.ts\`; a test fails when it is out of date.

\`\`\`mermaid
stateDiagram-v2
  [*] --> ${initial}
${[...arrows, ...ends].join('\n')}
\`\`\`

${rows.join('\n')}

Every order may be deleted, whatever its status. \`POST …/cancel\` and \`PATCH\` with \`status: ${cancel}\` are the same
operation, which succeeds once: a second cancellation is a conflict, as is every other transition outside the table.
`;
}

it('the document of the lifecycle matches ORDERS', async () => {
  await expect(describeLifecycle(ORDERS)).toMatchFileSnapshot(DOCUMENT);
});
