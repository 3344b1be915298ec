import { err, type Result } from 'neverthrow';
import { currentTimestamp } from '../shared/clock.ts';
import { readFields } from '../shared/fields.ts';
import { idReader, readImportedTime, readImportedVersion } from '../shared/imported-values.ts';
import type { Money } from '../shared/money.ts';
import { InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import { findWrongSign } from './adjustment.ts';
import {
  checkQuantities,
  type ImportContext,
  readImportedAdjustments,
  readImportedFulfillments,
  readImportedLines,
  readTotal,
  timesOfParts,
} from './imported-lines.ts';
import { readImportedTimes } from './imported-times.ts';
import { priceLines, withQuantity } from './line-item.ts';
import { IMPORTED_FIELDS } from './order-fields.ts';
import type { AdjustmentSign, AmountOutOfRange, CurrencyMismatch, NegativeTotal } from './order-errors.ts';
import { readCustom } from './order-custom.ts';
import type { OrderPorts } from './order-repository.ts';
import { findForeignCurrency, totalsOf } from './order-total.ts';
import { type AnyOrder, REASON_LENGTH_MAX } from './order.ts';

/** The errors of an imported order that do not depend on stored data. */
export type ImportedOrderInvalid =
  | ValidationFailed
  | CurrencyMismatch
  | AmountOutOfRange
  | NegativeTotal
  | AdjustmentSign;

/**
 * Reads an order of another system, in any status, by the rules of placing one. Values that it may lack are those of
 * `like`, or else new ones. `asHistory` is for orders from before the definition: required custom data may be missing.
 */
export function readImportedOrder(
  ports: Pick<OrderPorts, 'clock' | 'ids' | 'definition'>,
  input: unknown,
  like: AnyOrder | null,
  asHistory: boolean,
): Result<AnyOrder, ImportedOrderInvalid> {
  const { definition, ids } = ports;
  const invalid = new InvalidFields();
  const now = currentTimestamp(ports.clock);
  const context: ImportContext = { ids, now, like, invalid };
  // What follows from the status is in an order that a use case has returned, and is not read.
  const members = invalid.readObject(input, definition.members);
  const fields = readFields(IMPORTED_FIELDS, members, invalid);
  if ((members['id'] ?? members['reference'] ?? null) === null)
    invalid.add('id', 'required', 'is required, or else reference');
  const id = idReader(ids, invalid)(members['id'], 'id', like?.id);
  const created_at =
    readImportedTime(members['created_at'], 'created_at', undefined, now, invalid) ?? like?.created_at ?? now;
  const lines = readImportedLines(members['items'], context);
  const adjustments = readImportedAdjustments(members['adjustments'], lines, created_at, context);
  const fulfillments = readImportedFulfillments(members['fulfillments'], lines, created_at, context);
  const fulfilled = checkQuantities(lines, fulfillments, invalid);
  const own = definition.custom && {
    ...definition,
    custom: { ...definition.custom, required: !asHistory && definition.custom.required },
  };
  const custom = own && { custom: readCustom(own, members['custom'], invalid) ?? null };
  const readTime = (name: string) => readImportedTime(members[name], name, created_at, now, invalid) ?? null;
  const [corrected_at, erased_at] = [readTime('corrected_at'), readTime('erased_at')];
  const others = [...timesOfParts(adjustments, fulfillments), corrected_at ?? created_at, erased_at ?? created_at];
  const times = readImportedTimes(members, definition, { now, created_at, others }, invalid);
  const cancel_reason = invalid.readOptionalText(members['cancel_reason'], 'cancel_reason', REASON_LENGTH_MAX) ?? null;
  if (cancel_reason !== null && times.status !== definition.cancel)
    invalid.add('cancel_reason', 'invalid_value', `can be set only with the status ${definition.cancel}`);
  const version = readImportedVersion(members['version'], invalid);
  const stated = {
    subtotal: readTotal(members['subtotal'], 'subtotal', invalid),
    total: readTotal(members['total'], 'total', invalid),
  };

  return invalid.toResult(lines).andThen(() =>
    priceLines(lines).andThen((priced) => {
      const currency = lines[0]?.unit_price.currency ?? '';
      const mismatch = findForeignCurrency(lines, adjustments, currency);
      if (mismatch) return err(mismatch);
      const wrong = findWrongSign(adjustments);
      if (wrong) {
        const { type: adjustment_type, item_id, included } = wrong;
        return err({ type: 'adjustment_sign', adjustment_type, item_id, included } as const);
      }
      const items = lines.flatMap(({ id: item_id, cancelled_quantity, returned_quantity }, index) => {
        const line = priced[index];
        if (!line) return [];
        const changed = { id: item_id, ...line, fulfilled_quantity: fulfilled[index] ?? 0, returned_quantity };
        return [withQuantity(changed, 'cancelled_quantity', cancelled_quantity)];
      });
      return totalsOf(items, adjustments, currency).andThen(({ subtotal, total }) => {
        for (const [index, { total: given }] of lines.entries())
          checkStated(given, items[index]?.total, `items[${index}].total`, invalid);
        checkStated(stated.subtotal, subtotal, 'subtotal', invalid);
        checkStated(stated.total, total, 'total', invalid);
        return invalid.toResult({
          ...definition.unset,
          id,
          status: times.status,
          ...fields,
          items,
          adjustments,
          fulfillments,
          ...custom,
          subtotal,
          total,
          cancel_reason,
          version,
          created_at,
          updated_at: times.updated_at,
          ...times.entered,
          corrected_at,
          erased_at,
        });
      });
    }),
  );
}

/** Checks a total that the input states. It shows an amount that got lost on the way. */
function checkStated(
  stated: Money | undefined,
  computed: Money | undefined,
  path: string,
  invalid: InvalidFields,
): void {
  if (!stated || !computed) return;
  if (stated.amount !== computed.amount || stated.currency !== computed.currency)
    invalid.add(path, 'invalid_value', `must be ${computed.amount} ${computed.currency}, as its parts make, or absent`);
}
