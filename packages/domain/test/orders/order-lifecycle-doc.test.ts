import { join } from 'node:path';
import { ORDER_RULES, type OrderDefinition, type OrderRule, ORDERS } from '@orders/domain';
import { expect, it } from 'vitest';

const DOCUMENT = join(import.meta.dirname, '../../../../docs/reference/order-lifecycle.md');

const IN_CANCEL_STATUS = {
  allowed: 'allowed',
  order_already_cancelled: '`order_already_cancelled`',
  order_not_modifiable: '`order_not_modifiable`',
};

/** Returns the document of a lifecycle. `vitest run --project domain -u` writes that of the default one again. */
function describeLifecycle({ lifecycle, initial, cancel }: OrderDefinition): string {
  const entries = Object.entries(lifecycle);
  const arrows = entries.flatMap(([from, targets]) => targets.map((to) => `  ${from} --> ${to}`));
  const ends = entries.filter(([, targets]) => targets.length === 0).map(([status]) => `  ${status} --> [*]`);
  const rows = entries.map(([from, targets]) => {
    const to = targets.map((target) => `\`${target}\``).join(', ');
    return `- \`${from}\` may become ${to === '' ? 'nothing' : to}`;
  });
  const rules = Object.entries<OrderRule>(ORDER_RULES).map(([name, { inCancelStatus, quantities, event }]) => {
    const takes = quantities ? quantities.available.map((quantity) => `\`${quantity}\``).join(' − ') : '';
    const changes = quantities ? `\`${quantities.changes}\` ${quantities.by > 0 ? '+' : '−'}` : '';
    return `| \`${name}\` | ${IN_CANCEL_STATUS[inCancelStatus]} | ${takes} | ${changes} | ${event ? `\`${event}\`` : ''} |`;
  });
  return `# The lifecycle of an order

Generated from \`packages/domain/src/orders/order-lifecycle.ts\` and \`order-rules.ts\`; a test fails when it is out of date.

\`\`\`mermaid
stateDiagram-v2
  [*] --> ${initial}
${[...arrows, ...ends].join('\n')}
\`\`\`

${rows.join('\n')}

Every order may be deleted, whatever its status. \`POST …/cancel\` without \`items\` and \`PATCH\` with \`status: ${cancel}\` are the
same operation, which succeeds once: a second cancellation is a conflict, as is every other transition outside the table.

## What each status and quantity allows

| Command | In \`${cancel}\` | Takes of an item at most | Changes | Event |
| --- | --- | --- | --- | --- |
${rules.join('\n')}

No other status restricts these commands, and none of them changes the status, except that \`cancel\` follows the lifecycle
above. Its event is that of the status. A command that takes more fails with \`quantity_not_available\`. \`cancel_items\` is
\`POST …/cancel\` with \`items\`; it fails with \`nothing_would_remain\` if every item would be cancelled as a whole. It lowers the
totals; \`return_items\` and \`cancel\` do not, and what is given back then is an adjustment of the type \`refund\`.
`;
}

it('the document of the lifecycle matches ORDERS', async () => {
  await expect(describeLifecycle(ORDERS)).toMatchFileSnapshot(DOCUMENT);
});
