import { Link } from '@tanstack/react-router';
import { useDefinition } from '../../api/queries.ts';
import type { EndpointHealth, FiguresRow, ListedOwner } from '../../api/types.ts';
import { duration, money, words } from '../../parts/format.ts';
import { ProblemView } from '../../parts/problem-view.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Status } from '../../parts/status.tsx';
import { useSearchBy } from '../../parts/url.ts';
import { T } from '../../texts.ts';
import { readInterval, sums, useOverview } from './data.ts';
import { PerTime } from './per-time.tsx';
import { ThisServer } from './system.tsx';
import { V } from './texts.ts';

/** What needs a look, and what the last day was like. Each line leads to its list. */
export function OverviewPage() {
  const { by = 'hour' } = useSearchBy(readInterval);
  const { owners, endpoints, counted, figures } = useOverview(by);
  const error = owners.error ?? endpoints.error;
  const shown = owners.data?.data ?? [];
  return (
    <>
      <title>{`${T.places.overview} · ${T.console}`}</title>
      <h1>{T.places.overview}</h1>
      {error && <ProblemView error={error} retry={() => void Promise.all([owners.refetch(), endpoints.refetch()])} />}
      <h2 className="mt-4!">{V.look}</h2>
      {(!owners.data || !endpoints.data) && !error && <Skeleton rows={2} />}
      {owners.data && endpoints.data && (
        <>
          <Look owners={shown} endpoints={endpoints.data.data} />
          {endpoints.data.page.has_more && (
            <p className="mt-1 text-muted">{V.lookedAt(endpoints.data.owners.looked_at, endpoints.data.owners.all)}</p>
          )}
        </>
      )}
      <ThisServer />
      <h2>{V.placed[by]}</h2>
      {owners.data && counted.length === 0 && <p className="panel p-4 text-muted">{V.none}</p>}
      {counted.length > 0 && <PerTime by={by} owners={counted.length} figures={figures} />}
      {figures.length > 0 && <Entered figures={figures} />}
    </>
  );
}

function Look({
  owners,
  endpoints,
}: {
  readonly owners: readonly ListedOwner[];
  readonly endpoints: readonly EndpointHealth[];
}) {
  const wrong = endpoints.filter(({ failing_since: failing, status }) => failing !== null || status === 'disabled');
  const refused = owners.filter(({ load }) => load.rate_limited + load.unavailable > 0);
  if (wrong.length + refused.length === 0) {
    return (
      <p className="panel p-4">
        <Status shape="done">{V.nothing}</Status>
      </p>
    );
  }
  return (
    <ul className="panel grid gap-1 p-4">
      {wrong.map(({ id, owner, url, failing_since: since, status }) => {
        const host = URL.canParse(url) ? new URL(url).host : url;
        return (
          <li key={id}>
            <Status shape="wrong">
              <Link to="/webhooks" search={{ endpoint: id, status: 'pending' }} data-row>
                {status === 'disabled' || since === null
                  ? V.disabled(host, owner)
                  : V.fails(host, owner, duration(Date.now() - Date.parse(since)))}
              </Link>
            </Status>
          </li>
        );
      })}
      {refused.map(({ owner, load }) => (
        <li key={owner}>
          <Status shape="wrong">
            <Link to="/owners" search={{ select: 'busiest' }} data-row>
              {V.refused(owner, load.rate_limited + load.unavailable)}
            </Link>
          </Status>
        </li>
      ))}
    </ul>
  );
}

function Entered({ figures }: { readonly figures: readonly FiguresRow[] }) {
  const statuses: readonly string[] = useDefinition()?.statuses.map(({ status }) => status) ?? [];
  // As an order goes through them: `placed`, which is no status, comes first.
  const rows = sums(figures).toSorted(
    (left, right) =>
      left.currency.localeCompare(right.currency) || statuses.indexOf(left.status) - statuses.indexOf(right.status),
  );
  return (
    <>
      <h2>{V.entered}</h2>
      <p className="mb-2 text-muted">{V.enteredAbout}</p>
      <div className="panel">
        <table className="rows">
          <thead>
            <tr>
              <th>{V.status}</th>
              <th className="num">{V.orders}</th>
              <th className="num">{V.total}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ status, currency, orders, total }) => (
              <tr key={`${status} ${currency}`}>
                <td>
                  <Link to="/orders" search={status === 'placed' ? {} : { status }} data-row>
                    {words(status)}
                  </Link>
                </td>
                <td className="num">{orders.toLocaleString('en')}</td>
                <td className="num wide">{total === null ? currency : money({ amount: total, currency })}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
