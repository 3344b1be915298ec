import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useOperator } from '../../api/queries.ts';
import { listOrders } from '../../api/orders.ts';
import type { ListedOrders } from '../../api/types.ts';
import { Command } from '../../parts/copy.tsx';
import { Empty } from '../../parts/empty.tsx';
import { JobDialog } from '../../parts/job-dialog.tsx';
import { OrderTable } from '../../parts/order-table.tsx';
import { ProblemView } from '../../parts/problem-view.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { timesOf } from '../../parts/time-range.tsx';
import { useSearchBy } from '../../parts/url.ts';
import { T } from '../../texts.ts';
import { ordersOf, PAGE } from './data.ts';
import { Filters } from './filters.tsx';
import { commandOf, exportCommandOf, type Filter, jobFilterOf, readFilter, requestOf } from './filter.ts';
import { CANCEL, F } from './texts.ts';

/** How often new orders are looked for while the page is visible, in milliseconds. */
const POLL_MS = 5000;

/** Returns how many orders of the first page have been placed since it was shown. */
function useNewer(filter: Filter, newest: string | undefined): number {
  const { data } = useQuery({
    queryKey: ['newer', filter, newest],
    enabled: newest !== undefined && filter.after === undefined && filter.before === undefined,
    refetchInterval: POLL_MS,
    staleTime: POLL_MS,
    initialData: 0,
    queryFn: async ({ signal }) => {
      const { data: found } = await listOrders(await requestOf(filter, PAGE, signal));
      return found.filter(({ created_at: at }) => newest !== undefined && at > newest).length;
    },
  });
  return data;
}

function lookedAt({ looked_at: some, all, passed_over: over }: ListedOrders['owners']): string {
  return `${F.lookedAt(some, all)}${over.length === 0 ? '' : F.passedOver(over.slice(0, 3).join(', '))}`;
}

/** The orders of all owners, the newest first. */
export function OrdersPage() {
  const filter = useSearchBy(readFilter);
  const navigate = useNavigate();
  const { data, error, isPlaceholderData, refetch } = useQuery({
    ...ordersOf(filter),
    placeholderData: keepPreviousData,
  });
  const newer = useNewer(filter, isPlaceholderData ? undefined : data?.data[0]?.created_at);
  const to = (change: Filter) => void navigate({ to: '/orders', search: { ...filter, after: undefined, ...change } });
  const { owners, page } = data ?? {};
  const { may } = useOperator();
  const [isOpen, open] = useState(false);
  const jobFilter = jobFilterOf(filter);
  // Without any filter it would be all orders of all owners.
  const isFiltered = jobFilter !== undefined && Object.values(jobFilter).some((value) => value !== undefined);
  const isCancellable = isFiltered && !isPlaceholderData && may('create_job:cancel') && (data?.data.length ?? 0) > 0;
  const exported = exportCommandOf(filter);
  const end = () => {
    open(false);
    void refetch();
  };
  return (
    <>
      <title>{`${T.places.orders} · ${T.console}`}</title>
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-2">
        <h1>{T.places.orders}</h1>
        <span aria-live="polite" className="flex items-center gap-4">
          {newer > 0 && (
            <button type="button" className="link" onClick={() => void refetch()}>
              {F.newer(newer, PAGE)}
            </button>
          )}
          {isCancellable && (
            <button type="button" data-act className="button danger" onClick={() => open(true)}>
              {CANCEL.open}
            </button>
          )}
        </span>
      </div>
      <Filters filter={filter} change={to} />
      {error && <ProblemView error={error} retry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={12} />}
      {data?.data.length === 0 && (
        <Empty
          isFiltered={page?.has_more === true || Object.keys(filter).length > 0}
          clear={() => void navigate({ to: '/orders', search: {} })}
        />
      )}
      {data && data.data.length > 0 && (
        <div className={isPlaceholderData ? 'opacity-60' : ''}>
          <OrderTable orders={data.data} />
        </div>
      )}
      {data && (
        <p className="mt-3 flex flex-wrap gap-x-4 text-muted">
          {owners && <span>{lookedAt(owners)}</span>}
          {filter.after !== undefined && (
            <Link to="/orders" search={{ ...filter, after: undefined }}>
              {T.newest}
            </Link>
          )}
          {page !== undefined && page.next_cursor !== null && (
            <Link to="/orders" search={{ ...filter, after: page.next_cursor }}>
              {T.older} →
            </Link>
          )}
        </p>
      )}
      <GoToTime go={(before) => to({ before })} />
      <Command text={commandOf(filter)} />
      {exported !== undefined && <Command name={F.export} text={exported} />}
      {isOpen && jobFilter && <JobDialog kind="cancel" filter={jobFilter} texts={CANCEL} isDanger close={end} />}
    </>
  );
}

/** Shows the orders that were placed before a time, the newest first. */
function GoToTime({ go }: { readonly go: (before: string | undefined) => void }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    go(timesOf(new FormData(event.currentTarget)).before);
  };
  return (
    <form onSubmit={submit} className="mt-3 flex flex-wrap items-center gap-2 text-muted">
      <label className="flex items-center gap-2">
        {F.goTo}
        <input type="datetime-local" name="before" required className="w-auto!" />
      </label>
      <button type="submit" className="button">
        {F.go}
      </button>
    </form>
  );
}
