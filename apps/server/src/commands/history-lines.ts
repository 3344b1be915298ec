import type {
  DeliveryFault,
  FieldChange,
  TimelineChange,
  TimelineDelivery,
  TimelineEntry,
  TimelineSummary,
} from '@orders/domain/operators';
import { oneLine } from '../terminal.ts';
import { moneyOf } from './api/printed.ts';

/** The columns that a line takes. */
const WIDTH = 80;

/** Returns what an order is, what is open, and what went wrong, and an empty line. */
export function summaryLines(owner: string, summary: TimelineSummary): readonly string[] {
  const { id, version, order, deleted_at, placed_by, complete_from, faults } = summary;
  const is = order && [
    `${order.status}, ${counted(order.line_count, 'line')} for ${moneyOf(order.total)}`,
    ...(order.refunded.amount > 0 ? [` after refunds of ${moneyOf(order.refunded)}`] : []),
  ];
  const quantities = order && `${order.quantities.open} of ${counted(order.quantities.ordered, 'piece')} open`;
  const others = (['fulfilled', 'returned', 'cancelled'] as const).flatMap((name) =>
    order && order.quantities[name] > 0 ? [`${order.quantities[name]} ${name}`] : [],
  );
  return [
    ...line(`${order?.reference ?? 'order'} of ${owner}  ${id}`),
    ...line(`${is?.join('') ?? 'purged'}; version ${version}${placed_by ? `, made${byWhom(placed_by)}` : ''}`),
    ...(order ? line([quantities, ...others].join(', ')) : []),
    ...(deleted_at === null ? [] : line(`deleted at ${deleted_at}`)),
    ...faults.flatMap((fault) =>
      line(fault.code === 'status_unknown' ? `! the definition lacks the status ${fault.status}` : faultLine(fault)),
    ),
    ...(placed_by && complete_from ? [] : line(`complete from ${complete_from ?? 'no version on'}`)),
    '\n',
  ];
}

function faultLine({ count, code, version, ...delivery }: DeliveryFault): string {
  const how = code === 'delivery_failed' ? 'failed' : 'will be tried again';
  return `! ${counted(count, 'delivery', 'deliveries')} ${how}, from version ${version} on: ${whereTo(delivery)}`;
}

/** Returns an entry and an empty line: when and what, then by whom, why, and what changed, a line each. */
export function entryLines(entry: TimelineEntry): readonly string[] {
  if (entry.kind === 'change') return changeLines(entry);
  const { at, text, ...author } = entry;
  const by = byWhom({ ...author, external_user_id: null });
  return [...line(`${at}  comment${by}`), ...line(text ?? 'was erased', '  '), '\n'];
}

function changeLines(entry: TimelineChange): readonly string[] {
  const { at, version, type, actor, actor_name, external_user_id, reason, operator_reason } = entry;
  const { changed, changes, deliveries } = entry;
  const listed = entry.items.flatMap(({ sku, name, ...quantities }) =>
    (['ordered', 'fulfilled', 'cancelled', 'returned'] as const).flatMap((which) =>
      quantities[which] === 0 ? [] : [`${which} ${quantities[which]} x ${sku} ${name}`],
    ),
  );
  const adjusted = (entry.money?.adjustments ?? []).map(
    ({ type: kind, name, amount }) => `${kind} ${moneyOf(amount)}: ${name}`,
  );
  const tracked = entry.fulfillments.map(({ id, tracking, cancelled_at }) => {
    const texts = [tracking?.carrier, tracking?.number, tracking?.url].flatMap((text) => text ?? []);
    return [cancelled_at === null ? 'fulfillment' : 'cancelled fulfillment', id, ...texts].join(' ');
  });
  const money = entry.money ? [totalLine(entry.money.before, entry.money.after)] : [];
  return [
    ...line(`${at}  ${version}  ${type ?? 'changed'}`),
    ...[
      `by${byWhom({ actor, actor_name, external_user_id }).replace(/^ by/, '')}`,
      ...(reason === null ? [] : [`reason: ${reason}`]),
      ...(operator_reason === null || operator_reason === reason ? [] : [`reason of the operator: ${operator_reason}`]),
      ...(changes === null ? [`purged; it changed ${changed.join(', ') || 'nothing'}`] : changes.map(changeLine)),
      ...listed,
      ...adjusted,
      ...money,
      ...tracked,
      ...(deliveries ?? []).map((delivery) => `to ${whereTo(delivery)}`),
      ...(deliveries === null ? ['deliveries were purged'] : []),
    ].flatMap((text) => line(text, '  ')),
    '\n',
  ];
}

function changeLine({ field, key, before, after }: FieldChange): string {
  return `${field}${key === null ? '' : `.${key}`}: ${valueOf(before)} -> ${valueOf(after)}`;
}

function totalLine(before: Parameters<typeof moneyOf>[0] | null, after: Parameters<typeof moneyOf>[0]): string {
  return before === null ? `total ${moneyOf(after)}` : `total ${moneyOf(before)} -> ${moneyOf(after)}`;
}

function byWhom({
  actor,
  actor_name,
  external_user_id,
}: Pick<TimelineChange, 'actor' | 'actor_name' | 'external_user_id'>) {
  const name = actor_name === null ? '' : ` (${actor_name})`;
  return ` by ${actor ?? 'unknown'}${name}${external_user_id === null ? '' : ` for user ${external_user_id}`}`;
}

function whereTo(delivery: Omit<TimelineDelivery, 'last_duration_ms'>): string {
  const { endpoint_url, endpoint_id, status, attempts, last_status, last_error, next_attempt_at } = delivery;
  const last = [last_status, last_error].filter((each) => each !== null).join(' ');
  return [
    `${endpoint_url ?? `deleted endpoint ${endpoint_id}`}: ${status}`,
    ...(status === 'delivered' ? [] : [`after ${counted(attempts, 'attempt')}`]),
    ...(status === 'delivered' || last === '' ? [] : [last]),
    ...(next_attempt_at === null ? [] : [`next ${next_attempt_at}`]),
  ].join(', ');
}

function valueOf(value: unknown): string {
  if (value === null) return '-';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function counted(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`;
}

/** Returns a text as lines of at most {@link WIDTH} columns, which go on further in. A longer word has a line of its own. */
function line(text: string, indent = ''): readonly string[] {
  const lines: string[] = [];
  let rest = `${indent}${oneLine(text).trimEnd()}`;
  while (rest.length > WIDTH) {
    const place = rest.lastIndexOf(' ', WIDTH);
    const end = place > indent.length + 4 ? place : rest.indexOf(' ', WIDTH);
    if (end < 0) break;
    lines.push(`${rest.slice(0, end)}\n`);
    rest = `${indent}    ${rest.slice(end + 1)}`;
  }
  return [...lines, `${rest}\n`];
}
