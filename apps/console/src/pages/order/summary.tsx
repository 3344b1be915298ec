import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useDefinition, useOperator } from '../../api/queries.ts';
import type { Fault, Order, Summary } from '../../api/types.ts';
import { duration, money, relative, words } from '../../parts/format.ts';
import { Status } from '../../parts/status.tsx';
import { When } from '../../parts/when.tsx';
import { count } from '../../texts.ts';
import { actorOf, hostOf } from './names.ts';
import { O } from './texts.ts';

/** What the order is, what is open, and what went wrong. A page that can say nothing wrong says nothing. */
export function SummaryView({
  summary,
  order: full,
}: {
  readonly summary: Summary;
  readonly order: Order | undefined;
}) {
  const { may } = useOperator();
  const cancel = useDefinition()?.cancel;
  const [reason, correctedAt] = [full?.cancel_reason ?? null, full?.corrected_at ?? null];
  const { order, deleted_at: deletedAt, faults, complete_from: from } = summary;
  return (
    <section aria-label={O.summary} className="panel mt-4 grid gap-1 p-4 text-lead">
      <p className="text-pretty">
        {whatItIs(summary)}
        {reason !== null && ` ${O.cancelReason} “${reason}”.`}
        {correctedAt !== null && (
          <>
            {` ${O.statusCorrected} `}
            <When at={correctedAt} />.
          </>
        )}
      </p>
      {order && deletedAt === null && <p>{order.status === cancel ? O.nothingOpen : whatIsOpen(order)}</p>}
      {deletedAt !== null && (
        <p>
          <Status shape="end">
            Deleted <When at={deletedAt} />.
          </Status>
        </p>
      )}
      {order !== null && order.erased_at !== null && (
        <p className="text-muted">
          {O.erased}, {relative(order.erased_at)}.
        </p>
      )}
      {faults.map((fault) => (
        <p key={`${fault.code} ${fault.endpoint_id ?? ''}`}>
          <Status shape={fault.code === 'delivery_retried' ? 'half' : 'wrong'}>
            {whatWentWrong(fault)}{' '}
            {fault.endpoint_id !== undefined && may('list_endpoints_of_owners') && (
              <Link
                to="/webhooks"
                className="underline underline-offset-3"
                search={{ endpoint: fault.endpoint_id, status: statusOf(fault) }}
              >
                {O.toEndpoint}
              </Link>
            )}
          </Status>
        </p>
      ))}
      {from !== null && order && from > order.created_at && (
        <p className="text-sm text-muted">
          {O.completeFrom} <When at={from} />.
        </p>
      )}
    </section>
  );
}

/** Returns the status of the deliveries that a fault is about. */
function statusOf({ code }: Fault): string {
  return code === 'delivery_retried' ? 'pending' : 'failed';
}

function whatItIs({ order, placed_by: by }: Summary): ReactNode {
  if (!order) return 'A deleted order, whose history was purged.';
  const { line_count: lines, total, refunded, created_at: createdAt, entered, status } = order;
  const steps = entered.map(({ status: name, at }, index) => {
    const since = Date.parse(at) - Date.parse(entered[index - 1]?.at ?? createdAt);
    return `${words(name)} ${since < 1000 ? 'at once' : `${duration(since)} later`}`;
  });
  return (
    <>
      <strong>
        {count(lines, 'line')} for {money(total)}
      </strong>
      {refunded.amount > 0 && ` after a refund of ${money(refunded)}`}
      {'. '}
      {by?.type === 'order.imported' ? O.imported : O.placed} <When at={createdAt} />
      {by && ` ${O.by} ${actorOf(by)}`}
      {steps.length > 0 ? `, ${steps.join(', ')}.` : `, and still ${words(status)}.`}
    </>
  );
}

function whatIsOpen({
  quantities: { ordered, open, fulfilled, cancelled, returned },
}: NonNullable<Summary['order']>): string {
  const parts = [
    returned > 0 ? `${returned} came back` : '',
    cancelled > 0 && cancelled < ordered ? `${cancelled} ${cancelled === 1 ? 'was' : 'were'} cancelled` : '',
  ].filter((part) => part !== '');
  const pieces = count(ordered, 'piece');
  const first =
    cancelled === ordered
      ? `Nothing is open: ${ordered === 1 ? 'the piece was' : `all ${pieces} were`} cancelled`
      : open === 0
        ? `Nothing is open: ${sentOf(fulfilled, ordered - cancelled)}`
        : open === ordered
          ? `${ordered === 1 ? 'The piece is' : `All ${pieces} are`} still to be sent`
          : `${open} of ${pieces} ${open === 1 ? 'is' : 'are'} still to be sent`;
  return `${[first, ...parts].join('; ')}.`;
}

/** Without what was cancelled piece by piece. A cancelled order has pieces that were not sent and will not be. */
function sentOf(fulfilled: number, ordered: number): string {
  if (fulfilled === ordered) return fulfilled === 1 ? 'the piece was sent' : `all ${fulfilled} pieces were sent`;
  if (fulfilled === 0) return ordered === 1 ? 'the piece was not sent' : 'no piece was sent';
  return `${fulfilled} of ${count(ordered, 'piece')} ${fulfilled === 1 ? 'was' : 'were'} sent`;
}

function whatWentWrong({
  code,
  type,
  status,
  count: number = 1,
  attempts = 0,
  endpoint_url: url = null,
  last_status: http = null,
  next_attempt_at: next = null,
}: Fault): string {
  if (code === 'status_unknown') return `The definition of this server no longer has the status ${status}.`;
  const what = number === 1 ? `the event ${type ?? ''}` : count(number, 'event');
  const why = http === null ? 'no response' : `HTTP ${http}`;
  const after = `${count(attempts, 'attempt')} failed, the last with ${why}`;
  if (code === 'delivery_failed') return `${hostOf(url)} did not get ${what}: ${after}. No further one follows.`;
  return `${hostOf(url)} has not got ${what} yet: ${after}${next === null ? '' : `; the next is ${relative(next)}`}.`;
}
