import { Link } from '@tanstack/react-router';
import { useDefinition } from '../api/queries.ts';
import type { ListedOrder } from '../api/types.ts';
import { money, relative, words } from './format.ts';
import { type Shape, Status } from './status.tsx';
import { When } from './when.tsx';

const HEADS = {
  order: 'Order',
  status: 'Status',
  owner: 'Owner',
  placed: 'Placed',
  changed: 'Last change',
  total: 'Total',
};

/** Orders of one or several owners, each a link to its page. */
export function OrderTable({ orders }: { readonly orders: readonly ListedOrder[] }) {
  return (
    <div className="panel">
      <table className="rows">
        <thead>
          <tr>
            <th>{HEADS.order}</th>
            <th>{HEADS.status}</th>
            <th>{HEADS.owner}</th>
            <th>{HEADS.placed}</th>
            <th>{HEADS.changed}</th>
            <th className="num">{HEADS.total}</th>
          </tr>
        </thead>
        <tbody>
          {orders.map(({ id, reference, status, owner, created_at: placed, updated_at: changed, total }) => (
            <tr key={id}>
              <td className="[overflow-wrap:anywhere]">
                <Link to="/orders/$id" params={{ id }} data-row className="font-medium">
                  {reference ?? <span className="id">{`${id.slice(0, 8)}…${id.slice(-4)}`}</span>}
                </Link>
              </td>
              <td className="order-3 md:order-none">
                <OrderStatus status={status} />
              </td>
              <td className="order-3 text-right md:order-none md:text-left">{owner}</td>
              <td className="wide order-4 text-muted md:order-none">
                <When at={placed} />
                <span className="md:hidden"> · {relative(placed)}</span>
              </td>
              <td className="spare text-muted">{relative(changed)}</td>
              <td className="num order-2 md:order-none">{money(total)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A status of the lifecycle: a ring, a full circle where nothing but a cancellation follows, a cross for that. */
export function OrderStatus({ status }: { readonly status: string }) {
  const definition = useDefinition();
  const further = definition?.statuses.find((each) => each.status === status)?.transitions ?? [];
  const isLast = definition !== undefined && further.every((next) => next === definition.cancel);
  const shape: Shape = status === definition?.cancel ? 'end' : isLast ? 'done' : 'open';
  return <Status shape={shape}>{words(status)}</Status>;
}
