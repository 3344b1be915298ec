import type { Entry, FieldChange } from '../../api/types.ts';
import { relative, words } from '../../parts/format.ts';
import { Status } from '../../parts/status.tsx';
import { deliveriesByState } from './entries.ts';
import { hostOf } from './names.ts';
import { O } from './texts.ts';

/** How many values are not folded. */
const SHOWN = 3;

/** The values that a change gave to fields, besides those that its title and lanes have. */
export function Values({ others }: { readonly others: readonly FieldChange[] }) {
  const list = (
    <ul className="my-1 grid gap-1 text-sm">
      {others.map(({ field, key, before, after }) => (
        <li key={`${field} ${key}`} className="[overflow-wrap:anywhere]">
          {words(field)}
          {key !== null && ` ${key}`}: <del className="text-muted">{textOf(before)}</del> → {textOf(after)}
        </li>
      ))}
    </ul>
  );
  if (others.length <= SHOWN) return list;
  return (
    <details className="min-w-0 text-sm">
      <summary className="link">{O.changed(others.length)}</summary>
      {list}
    </details>
  );
}

function textOf(value: unknown): string {
  if (value === null) return O.noDifference;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Whom it was sent to, and how it went. */
export function Sent({ deliveries }: { readonly deliveries: Entry['deliveries'] }) {
  if (deliveries === null) return <span className="text-muted">{O.purgedDeliveries}</span>;
  return deliveriesByState(deliveries).map(({ state, group }) => {
    const hosts = group.map(({ endpoint_url: url }) => hostOf(url)).join(', ');
    const [{ attempts, last_status: http, last_error: error, next_attempt_at: at }] = group;
    const why = http === null ? words(error ?? '') : `HTTP ${http}`;
    const next = at === null ? '' : `, next ${relative(at)}`;
    return (
      <div key={state} className="min-w-0">
        <Status shape={state}>
          <span className="[overflow-wrap:anywhere]">{state === 'open' ? `${hosts}: waiting` : hosts}</span>
        </Status>
        {(state === 'wrong' || state === 'half') && (
          <p className="pl-4 text-muted">
            {O.attempts(attempts, why)}
            {next}
          </p>
        )}
      </div>
    );
  });
}
