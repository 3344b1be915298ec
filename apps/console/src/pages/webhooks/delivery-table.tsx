import { Link } from '@tanstack/react-router';
import type { DeliveryOfOwner } from '../../api/types.ts';
import { relative, words } from '../../parts/format.ts';
import { Status } from '../../parts/status.tsx';
import { When } from '../../parts/when.tsx';
import { count } from '../../texts.ts';
import { W } from './texts.ts';

interface DeliveryTableProps {
  readonly deliveries: readonly DeliveryOfOwner[];
  readonly status: 'failed' | 'pending' | 'delivered';
}

const [SHAPES, EMPTY] = [
  { failed: 'wrong', pending: 'half', delivered: 'done' } as const,
  { failed: W.noDeliveries, pending: W.noneWait, delivered: W.noneOfFilter },
];

/** Deliveries of events, each with a link to the order that the event is about. */
export function DeliveryTable({ deliveries, status }: DeliveryTableProps) {
  if (deliveries.length === 0) return <p className="panel p-4 text-muted">{EMPTY[status]}</p>;
  return (
    <div className="panel">
      <table className="rows">
        <thead>
          <tr>
            <th>{W.event}</th>
            <th>{W.owner}</th>
            <th>{W.attempts}</th>
            <th>{W.last}</th>
            <th>{W.occurred}</th>
          </tr>
        </thead>
        <tbody>
          {deliveries.map((delivery) => (
            <tr key={`${delivery.endpoint_id} ${delivery.event_id}`}>
              <td>
                {delivery.aggregate === 'order' ? (
                  <>
                    <Link to="/orders/$id" params={{ id: delivery.aggregate_id }} data-row>
                      {words(delivery.type.replace('.', ' '))}
                    </Link>{' '}
                    <span className="id text-muted">…{delivery.aggregate_id.slice(-6)}</span>
                  </>
                ) : (
                  words(delivery.type.replace('.', ' '))
                )}
              </td>
              <td className="text-right md:text-left">{delivery.owner}</td>
              <td>
                <Status shape={status === 'pending' && delivery.attempts === 0 ? 'open' : SHAPES[status]}>
                  {delivery.attempts === 0 ? W.notTried : count(delivery.attempts, 'attempt')}
                </Status>
              </td>
              <td className="text-right md:text-left">
                {responseOf(delivery)}
                {delivery.next_attempt_at !== null && delivery.attempts > 0 && (
                  <span className="text-muted"> {nextOf(delivery.next_attempt_at)}</span>
                )}
              </td>
              <td className="wide text-muted">
                <When at={delivery.occurred_at} seconds />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function responseOf({ last_status: http, last_error: error }: DeliveryOfOwner): string {
  if (http !== null) return `HTTP ${http}`;
  return error === null ? '' : words(error);
}

function nextOf(at: string): string {
  return Date.parse(at) <= Date.now() ? W.isDue : `next ${relative(at)}`;
}
