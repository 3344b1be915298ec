import { Link } from '@tanstack/react-router';
import { useOperator } from '../../api/queries.ts';
import type { Order } from '../../api/types.ts';
import { Command, Copy, shellWord } from '../../parts/copy.tsx';
import { ProblemView } from '../../parts/problem-view.tsx';
import { OrderStatus } from '../../parts/order-table.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { useId, useSearchBy } from '../../parts/url.ts';
import { When } from '../../parts/when.tsx';
import { T } from '../../texts.ts';
import { Actions } from './actions/actions.tsx';
import { readAsOf, useOrderPage } from './data.ts';
import { Lines } from './lines.tsx';
import { People } from './people.tsx';
import { SummaryView } from './summary.tsx';
import { O } from './texts.ts';
import { TimelineView } from './timeline.tsx';

/** Everything about one order, in the order of the questions that one has: what it is, what is open, how it came to be so. */
export function OrderPage() {
  const id = useId();
  const { as_of: asOf } = useSearchBy(readAsOf);
  const { may } = useOperator();
  const { owner, order, timeline, version } = useOrderPage(id, asOf);
  const failed = owner.error ?? timeline.error ?? (timeline.data ? undefined : order.error);
  const pages = timeline.data?.pages ?? [];
  const summary = pages[0]?.summary ?? undefined;
  const newest = order.data?.body;
  const shown = asOf === undefined ? newest : (version.data?.order ?? undefined);
  const name = newest?.reference ?? newest?.number ?? summary?.order?.reference ?? undefined;
  const heading = name ?? (id.length < 16 ? id : `${id.slice(0, 8)}…${id.slice(-4)}`);
  return (
    <>
      <title>{`${heading} · ${T.console}`}</title>
      <p>
        <Link to="/orders">← {T.places.orders}</Link>
      </p>
      <div className="mt-2 flex flex-wrap items-start justify-between gap-4">
        <div className="min-w-0">
          <h1>
            {heading} {owner.data !== undefined && <span className="font-normal text-muted">· {owner.data}</span>}
          </h1>
          <p className="flex flex-wrap gap-x-4 text-muted [overflow-wrap:anywhere]">
            {newest && <OrderStatus status={newest.status} />}
            <span className="id">
              {id} <Copy text={id} of="the id" />
            </span>
          </p>
        </div>
        {newest && owner.data !== undefined && order.data && asOf === undefined && (
          <Actions order={newest} etag={order.data.etag ?? undefined} owner={owner.data} summary={summary} />
        )}
      </div>
      {failed && (
        <ProblemView
          error={failed}
          retry={() => void Promise.all([owner.refetch(), timeline.refetch(), order.refetch()])}
        />
      )}
      {!failed && !summary && (
        <div className="mt-4">
          <Skeleton rows={3} />
        </div>
      )}
      {summary && <SummaryView summary={summary} order={newest} />}
      {asOf !== undefined && version.data && (
        <p className="panel sticky top-2 z-10 mt-4 flex flex-wrap justify-between gap-2 bg-raised px-4 py-2">
          <span>
            {O.asOf} <When at={version.data.occurred_at} seconds />
          </span>
          <Link to="/orders/$id" params={{ id }} resetScroll={false}>
            {O.backToNow}
          </Link>
        </p>
      )}
      {version.error && <ProblemView error={version.error} />}
      {shown && <Lines order={shown} />}
      {shown && <People order={shown} isMasked={!may('search_all_orders')} />}
      {!failed && <TimelineView id={id} pages={pages} query={timeline} asOf={asOf} order={newest} />}
      {shown && <Json order={shown} />}
      {owner.data !== undefined && <Command text={`orders history ${id} --owner ${shellWord(owner.data)}`} />}
    </>
  );
}

function Json({ order }: { readonly order: Order }) {
  const text = JSON.stringify(order, undefined, 2);
  return (
    <details className="mt-8">
      <summary className="link text-sm">{O.json}</summary>
      <div className="panel mt-2 max-h-[480px] overflow-auto p-4" tabIndex={0} role="region" aria-label={O.json}>
        <pre className="font-mono text-xs">{text}</pre>
      </div>
      <Copy text={text} of="the JSON" />
    </details>
  );
}
