import { useQuery } from '@tanstack/react-query';
import { Link, Navigate } from '@tanstack/react-router';
import { keptText } from '../../api/kept-text.ts';
import { useDefinition } from '../../api/queries.ts';
import { OrderTable } from '../../parts/order-table.tsx';
import { ProblemView } from '../../parts/problem-view.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { useSearchBy } from '../../parts/url.ts';
import { count, T } from '../../texts.ts';
import { findOrders, readFound } from './data.ts';

/** What the box found. A single order is opened. The text is no part of the URL, because it may be an email. */
export function FindPage() {
  const text = keptText(useSearchBy(readFound).text);
  const definition = useDefinition();
  const { data, error, refetch } = useQuery({
    queryKey: ['find', text],
    enabled: definition !== undefined && text !== '',
    queryFn: ({ signal }) => findOrders(text, definition?.lookups ?? [], signal),
  });
  const [only, ...others] = data ?? [];
  if (text === '') return <Navigate to="/orders" replace />;
  if (only && others.length === 0) return <Navigate to="/orders/$id" params={{ id: only.id }} replace />;
  return (
    <>
      <title>{`${T.find} · ${T.console}`}</title>
      <h1 className="mb-4">{data ? `${count(data.length, 'order')} for “${text}”` : `Looking for “${text}”`}</h1>
      {error && <ProblemView error={error} retry={() => void refetch()} />}
      {!data && !error && <Skeleton />}
      {data && data.length > 0 && <OrderTable orders={data} />}
      {data?.length === 0 && (
        <section className="panel p-6">
          <p className="font-medium">Nothing has this id, reference, number or email.</p>
          <p className="mt-1 text-muted">
            It must be complete, and an id of another system needs the name of the system, as in{' '}
            <code>stripe:pi_3Q8fK2</code>. Names are not searched: when you know the day and the total,{' '}
            <Link to="/orders" className="underline underline-offset-3">
              filter the orders
            </Link>
            .
          </p>
        </section>
      )}
    </>
  );
}
