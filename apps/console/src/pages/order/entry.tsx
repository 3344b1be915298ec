import { Link } from '@tanstack/react-router';
import type { Comment, Entry, Order } from '../../api/types.ts';
import { clock, day, digits, relative, signed, words } from '../../parts/format.ts';
import { moneyOf, otherChanges, reasonsOf, statusChange, titleOf } from './entries.ts';
import { Sent, Values } from './entry-details.tsx';
import { actorOf } from './names.ts';
import { O } from './texts.ts';

/** Time, rail, what changed, what it did to money, whom it was sent to. On a phone the lanes stand below each other. */
export const GRID =
  'grid grid-cols-[20px_minmax(0,1fr)_auto] gap-x-3 px-2.5 py-2 pr-4 md:grid-cols-[116px_20px_minmax(0,1fr)_96px_220px] md:px-0 md:pr-4';

interface EntryProps {
  readonly id: string;
  readonly entry: Entry;
  readonly isNewDay: boolean;
  /** Whether the page shows the order as of this entry. */
  readonly isShown: boolean;
  readonly order: Order | undefined;
}

/** Shown once the pointer or the focus is there; always where there is no pointer. */
const QUIET = 'pointer-fine:opacity-0 group-hover:opacity-100 focus-visible:opacity-100';

/** One thing that happened. */
export function EntryView({ id, entry, isNewDay, isShown, order }: EntryProps) {
  const { at, version, deliveries, external_user_id: user, changes } = entry;
  const reasons = reasonsOf(entry);
  const [amount, status, others] = [moneyOf(entry), statusChange(entry), otherChanges(entry)];
  const isWrong = deliveries?.some((delivery) => delivery.status === 'failed') === true;
  const dot = isWrong
    ? 'border-bad bg-bad'
    : version === 1
      ? 'border-text bg-text'
      : amount
        ? 'rounded-xs! border-accent'
        : 'border-edge';
  return (
    <div className={`group ${GRID} ${isShown ? 'bg-raised' : ''}`} aria-current={isShown || undefined}>
      <Moment at={at} isNewDay={isNewDay} dot={dot} />
      <div className="col-start-2 min-w-0 [overflow-wrap:anywhere] md:col-auto">
        {status ? (
          <p>
            {entry.type === 'order.corrected' && `${O.corrected}: `}
            <del className="text-muted">{words(String(status.before))}</del> →{' '}
            <strong className="font-medium">{words(String(status.after))}</strong>
          </p>
        ) : (
          <p className="font-medium">{titleOf(entry)}</p>
        )}
        <p className="text-sm text-muted">
          <span title={entry.actor ?? undefined}>{actorOf(entry)}</span>
          {user !== null && (
            <>
              {` ${O.forUser} `}
              <bdi>{user}</bdi>
            </>
          )}
          {reasons.length > 0 && (
            <>
              : <bdi>“{reasons.join('”, “')}”</bdi>
            </>
          )}{' '}
          {order && version !== order.version && (
            <Link
              to="/orders/$id"
              params={{ id }}
              search={{ as_of: version }}
              resetScroll={false}
              data-row
              className={QUIET}
            >
              {O.asOfHere}
            </Link>
          )}
        </p>
        {version > 1 &&
          entry.money?.adjustments.map((each) => (
            <p key={each.id} className="text-sm text-muted">
              {each.type} “{each.name}” {signed(each.amount)}
            </p>
          ))}
        {entry.fulfillments.map(
          ({ id: each, tracking }) =>
            tracking && (
              <p key={each} className="text-sm text-muted">
                {[tracking.carrier, tracking.number].filter(Boolean).join(' ')}
              </p>
            ),
        )}
        {changes === null && <p className="text-sm text-muted">{O.purged}</p>}
        {others.length > 0 && <Values others={others} />}
      </div>
      <div className="col-start-3 text-right whitespace-nowrap md:col-auto">
        {amount && (version === 1 ? digits(amount) : signed(amount))}
      </div>
      <div className="col-start-2 col-end-4 min-w-0 text-sm md:col-auto">
        <Sent deliveries={deliveries} />
      </div>
    </div>
  );
}

/** When it was, and its mark on the rail. */
function Moment({ at, isNewDay, dot }: { readonly at: string; readonly isNewDay: boolean; readonly dot: string }) {
  return (
    <>
      <time
        dateTime={at}
        title={`${at} (UTC), ${relative(at)}`}
        className="col-start-2 col-end-4 text-sm text-muted md:col-auto md:text-right"
      >
        {isNewDay && `${day(at)} `}
        {clock(at, { seconds: true })}
      </time>
      <span
        aria-hidden="true"
        className="rail relative col-start-1 row-span-4 row-start-1 md:col-auto md:row-span-1 md:row-auto"
      >
        <i className={`absolute top-1.5 left-[5px] size-[9px] rounded-full border-2 bg-surface ${dot}`} />
      </span>
    </>
  );
}

/** What an operator wrote about the order. */
export function CommentView({ comment, isNewDay }: { readonly comment: Comment; readonly isNewDay: boolean }) {
  return (
    <div className={GRID}>
      <Moment at={comment.at} isNewDay={isNewDay} dot="border-edge border-dotted" />
      <div className="col-start-2 col-end-4 min-w-0 [overflow-wrap:anywhere] md:col-start-3 md:col-end-6">
        <p className={comment.text === null ? 'text-muted' : 'whitespace-pre-wrap'}>
          {comment.text === null ? O.commentErased : `“${comment.text}”`}
        </p>
        <p className="text-sm text-muted">
          {O.comment} {O.by} {actorOf(comment)}
        </p>
      </div>
    </div>
  );
}
