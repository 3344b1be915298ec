import { join } from 'node:path';
import { ORDER_LIFECYCLE } from '@orders/domain';
import { expect, it } from 'vitest';

const DOCUMENT = join(import.meta.dirname, '../../../docs/reference/order-lifecycle.md');

/** Returns the document of the lifecycle. `vitest run --project domain -u` writes it again. */
function describeLifecycle(): string {
  const entries = Object.entries(ORDER_LIFECYCLE);
  const arrows = entries.flatMap(([from, targets]) => targets.map((to) => `  ${from} --> ${to}`));
  const ends = entries.filter(([, targets]) => targets.length === 0).map(([status]) => `  ${status} --> [*]`);
  const rows = entries.map(([from, targets]) => {
    const to = targets.map((target) => `\`${target}\``).join(', ');
    return `- \`${from}\` may become ${to === '' ? 'nothing' : to}`;
  });
  return `# The lifecycle of an order

Drawn from the table in \`packages/domain/src/orders/order-lifecycle.ts\`; a test fails when the two differ.

\`\`\`mermaid
stateDiagram-v2
  [*] --> pending
${[...arrows, ...ends].join('\n')}
\`\`\`

${rows.join('\n')}

Every order may be deleted, whatever its status. Cancelling is one operation with two spellings, \`POST …/cancel\` and
\`PATCH\` with \`status: cancelled\`, and happens once: again is a conflict, as is every other move outside the table.
`;
}

it('the lifecycle document matches ORDER_LIFECYCLE', async () => {
  await expect(describeLifecycle()).toMatchFileSnapshot(DOCUMENT);
});
