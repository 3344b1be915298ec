import { Copy } from './copy.tsx';

interface EmptyProps {
  readonly isFiltered: boolean;
  readonly clear: () => void;
}

const PLACE = `curl -H "X-API-Key: $(cat .data/demo-api-key)" --json '{"items":[{"sku":"TEA-100","name":"Green tea, 100 g","quantity":3,"unit_price":{"amount":650,"currency":"EUR"}}]}' ${location.protocol}//${location.hostname}:3000/v1/orders`;

/** No orders: what that means, and what makes the first one. */
export function Empty({ isFiltered, clear }: EmptyProps) {
  if (isFiltered) {
    return (
      <section className="panel p-6">
        <p className="font-medium">No order is like that.</p>
        <p className="mt-1 text-muted">
          Remove a filter above, or{' '}
          <button type="button" className="link underline underline-offset-3" onClick={clear}>
            look at all orders
          </button>
          .
        </p>
      </section>
    );
  }
  return (
    <section className="panel p-6">
      <p className="font-medium">There are no orders yet.</p>
      <p className="mt-1 text-muted">
        This places one for the owner of the demo key, and it appears here within five seconds:
      </p>
      <code className="mt-3 block rounded bg-raised p-3 [overflow-wrap:anywhere]">{PLACE}</code>
      <p className="mt-2">
        <Copy text={PLACE} of="the command" />
      </p>
    </section>
  );
}
