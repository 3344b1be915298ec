import { Link } from '@tanstack/react-router';
import { digestOf } from '../../api/owner-digest.ts';
import type { ListedOwner } from '../../api/types.ts';
import { relative } from '../../parts/format.ts';
import { Status } from '../../parts/status.tsx';
import { T } from '../../texts.ts';
import { N } from './texts.ts';

interface OwnerTableProps {
  readonly owners: readonly ListedOwner[];
  /** Changes an owner; undefined for a role that may not. */
  readonly change: ((owner: ListedOwner) => void) | undefined;
}

/** Owners with their load of the last minute. */
export function OwnerTable({ owners, change }: OwnerTableProps) {
  const most = Math.max(1, ...owners.map(({ load }) => load.busy_ms));
  return (
    <div className="panel">
      <table className="rows">
        <thead>
          <tr>
            <th>{N.owner}</th>
            <th>{N.state}</th>
            <th>{N.busy}</th>
            <th className="num">{N.requests}</th>
            <th className="num">{N.refused}</th>
            <th className="num">{N.orders}</th>
            <th>{N.lastEvent}</th>
            {change && <td />}
          </tr>
        </thead>
        <tbody>
          {owners.map((each) => (
            <tr key={each.owner}>
              <td className="[overflow-wrap:anywhere]">
                <Link to="/orders" search={{ owner: digestOf(each.owner) }} data-row>
                  {each.owner}
                </Link>
              </td>
              <td className="text-right md:text-left">
                <State owner={each} />
              </td>
              <td className="wide">
                <svg
                  viewBox="0 0 100 6"
                  preserveAspectRatio="none"
                  aria-hidden="true"
                  className="mt-[7px] mb-1 h-1.5 w-[100px] rounded-full bg-line"
                >
                  <rect width={(100 * each.load.busy_ms) / most} height="6" className="fill-muted" />
                </svg>
                <span className="text-sm text-muted">{N.busyOf(each.load.busy_ms)}</span>
              </td>
              <td className="num text-left! md:text-right!">
                {each.load.requests.toLocaleString('en')}
                <span className="text-muted md:hidden"> {N.requests.toLowerCase()}</span>
              </td>
              <td className="num">
                <Refused owner={each} />
                <span className="text-muted md:hidden"> {N.refused.toLowerCase()}</span>
              </td>
              <td className="num spare">{placedOf(each)}</td>
              <td className="wide text-muted">
                <span className="md:hidden">{N.lastEvent} </span>
                {each.last_event_at === null ? T.none : relative(each.last_event_at)}
              </td>
              {change && (
                <td className="wide">
                  <button
                    type="button"
                    className="link"
                    aria-label={`${N.change} ${each.owner}`}
                    onClick={() => change(each)}
                  >
                    {N.change}
                  </button>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function placedOf({ orders }: ListedOwner): string {
  const placed = orders?.by_status.find(({ status }) => status === 'placed')?.orders;
  return placed === undefined ? T.none : placed.toLocaleString('en');
}

/** Requests that got 429 or 503. */
function Refused({ owner: { load } }: { readonly owner: ListedOwner }) {
  const { rate_limited: limited, unavailable } = load;
  if (limited + unavailable === 0) return <span className="text-muted">0</span>;
  return (
    <Status shape="wrong">
      {[limited > 0 ? `429 × ${limited}` : '', unavailable > 0 ? `503 × ${unavailable}` : '']
        .filter(Boolean)
        .join(', ')}
    </Status>
  );
}

function State({ owner: { suspended_at: suspended, rate_limits: limits } }: { readonly owner: ListedOwner }) {
  if (suspended !== null) return <Status shape="end">{N.suspended}</Status>;
  if (limits === null) return <span className="text-muted">{N.active}</span>;
  const own = Object.entries(limits).flatMap(([name, limit]) => (limit === null ? [] : [`${name} ${limit}`]));
  return <Status shape="half">{N.limited(own)}</Status>;
}
