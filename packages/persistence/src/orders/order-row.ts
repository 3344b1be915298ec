import {
  type AnyOrder,
  changedLookups,
  type DomainEvent,
  elementsOf,
  type FoundLookups,
  LOOKED_UP,
  lookupsOf,
  newCustomerOf,
  ORDER_FIELDS,
  type OrderDefinition,
  type OrderFields,
  type Owner,
  type Timestamp,
  type Write,
} from '@orders/domain';
import type { ColumnValues } from '../writes/write-functions.ts';
import { jsonText } from '../sql/statement.ts';
import { assertTimestamp, readTimestamp, readTimestampOrNull } from '../tables/timestamp-type.ts';
import type { StoredParts, StoredQuantities, TimeColumn } from '../tables/order-entity.ts';
import { lookupsText } from './order-lookups.ts';
import { storedField } from './order-snapshot.ts';
import { partsOf, storedItems, storedLists, storedQuantities } from './order-parts.ts';
import { type OrderShape, shapeOf } from './order-shape.ts';
import type { ReportLeftOut } from '../database/left-out-lookups.ts';
import type { UnknownOrders } from '../database/orders-in-unknown-statuses.ts';

/** The columns of the fields that clients set. */
type FieldColumns = { readonly [Name in keyof OrderFields]: OrderFields[Name] | null };

/**
 * A row of orders as the driver returns it: `bigint` and `timestamptz` as PostgreSQL's text, each list as one JSON value.
 */
export interface OrderRow extends FieldColumns, StoredParts, Readonly<Record<TimeColumn, string | null>> {
  readonly id: string;
  readonly status: string;
  readonly currency: string;
  readonly total_amount: string;
  readonly cancel_reason: string | null;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly corrected_at: string | null;
  readonly erased_at: string | null;
  readonly quantities: readonly StoredQuantities[] | null;
  /** Absent, as the times, if the statements do not contain it. */
  readonly custom?: unknown;
  readonly status_times?: Readonly<Record<string, Timestamp>> | null;
}

/** A write after which an order exists. */
type OrderWrite = Extract<Write<AnyOrder, DomainEvent<string>>, { readonly after: AnyOrder }>;

/** Converts rows of orders of one definition. */
export interface OrderRows {
  /**
   * Parses a row. The members have the order of a new order, so that both serialize to the same text.
   *
   * @throws {UnknownStatus} the definition lacks the status of the order
   */
  readonly toOrder: (row: OrderRow, owner: Owner) => AnyOrder;
  /**
   * Returns the columns that an update of a row writes, or all columns of a new order for `null`. What the definition does
   * not have stays as it is in the row: servers with another definition may use it.
   */
  readonly toColumns: (write: OrderWrite, row: OrderRow | null) => ColumnValues;
}

/** Returns the conversions of rows for a definition. */
export function orderRows(
  definition: OrderDefinition,
  unknownOrders: UnknownOrders,
  reportLeftOut: ReportLeftOut,
): OrderRows {
  const shape = shapeOf(definition);
  return {
    toOrder: (row, owner) => {
      const { currency, id, status } = row;
      if (!Object.hasOwn(definition.lifecycle, status)) throw unknownOrders.add({ owner, id, status });
      const { quantities, version } = row;
      const { items, adjustments, fulfillments, subtotal } = partsOf(row, { version, currency, quantities });
      return {
        ...definition.unset,
        id,
        status,
        ...fieldsOf(row),
        items,
        adjustments,
        fulfillments,
        ...(shape.hasCustom && { custom: row.custom ?? null }),
        subtotal,
        total: { amount: Number(row.total_amount), currency },
        cancel_reason: row.cancel_reason,
        version,
        created_at: readTimestamp(row.created_at),
        updated_at: readTimestamp(row.updated_at),
        ...timesOf(shape, row),
        corrected_at: readTimestampOrNull(row.corrected_at),
        erased_at: readTimestampOrNull(row.erased_at),
      };
    },

    toColumns: (write, row) => {
      const order = write.after;
      const found = newLookups(definition, write);
      if (found) reportLeftOut(order.id, found);
      const columns = {
        ...changeableColumns(shape, order, row),
        new_customer_id: newCustomerOf(write)?.id ?? null,
        lookups: found && lookupsText(found),
      };
      return row ? columns : { ...columns, currency: order.total.currency };
    },
  };
}

const FIELDS = Object.entries(ORDER_FIELDS);

/** Returns the lookups of the order after a write; `null` if it changes none. */
function newLookups(definition: OrderDefinition, write: OrderWrite): FoundLookups | null {
  if (write.kind === 'change')
    // A member that a command leaves alone is the same value.
    return LOOKED_UP.some((name) => write.before.aggregate[name] !== write.after[name])
      ? changedLookups(definition, write.before.aggregate, write.after)
      : null;
  const found = lookupsOf(definition, write.after);
  return found.lookups.length + found.faults.length === 0 ? null : found;
}

/** Returns the fields that clients set, whose columns have their names. */
function fieldsOf(row: FieldColumns): OrderFields;
function fieldsOf(row: Readonly<Record<string, unknown>>): unknown {
  const fields: Record<string, unknown> = {};
  for (const [name, { unset }] of FIELDS) fields[name] = row[name] ?? unset;
  return fields;
}

function columnsOf(fields: Pick<OrderFields, keyof OrderFields>): Readonly<Record<keyof OrderFields, string | null>>;
function columnsOf(fields: Readonly<Record<string, unknown>>): unknown {
  const columns: Record<string, unknown> = {};
  for (const [name, { type }] of FIELDS) {
    const value = storedField(name, fields[name]);
    columns[name] = type === 'object' ? jsonOrNull(value) : value;
  }
  return columns;
}

/** Returns the members of an order for the times of its statuses. */
function timesOf({ times }: OrderShape, row: OrderRow): Readonly<Record<string, Timestamp | null>> {
  const members: Record<string, Timestamp | null> = {};
  for (const { member, column, status } of times)
    members[member] = column === null ? listedTime(row, status) : readTimestampOrNull(row[column]);
  return members;
}

/** Returns the time of a status without a column. A status may have the name of something that every object has. */
function listedTime({ status_times: listed }: OrderRow, status: string): Timestamp | null {
  return listed && Object.hasOwn(listed, status) ? (listed[status] ?? null) : null;
}

/** Returns the columns that may change, with those of `row` that the definition does not have. */
function changeableColumns(shape: OrderShape, order: AnyOrder, row: OrderRow | null): ColumnValues {
  const { items, adjustments: _, fulfillments: __, subtotal: ___, total, custom, ...columns } = order;
  // The members for times are among the columns. Those without a column of their own are written as one.
  return {
    ...columns,
    total_amount: total.amount,
    element_count: elementsOf(order),
    items: storedItems(items, row),
    quantities: jsonOrNull(storedQuantities(items)),
    ...storedLists(order, row),
    ...columnsOf(order),
    ...(shape.unusedColumns.length > 0 && unusedTimes(shape, row)),
    ...(shape.isExtended && {
      custom: jsonOrNull(shape.hasCustom ? custom : row?.custom),
      status_times: jsonOrNull(listedTimes(shape, order, row)),
    }),
  };
}

/** Returns the columns of times that the definition does not have. */
function unusedTimes({ unusedColumns }: OrderShape, row: OrderRow | null): ColumnValues {
  return Object.fromEntries(unusedColumns.map((column) => [column, row && readTimestampOrNull(row[column])]));
}

/** Returns the times of statuses without a column; `null` without any. */
function listedTimes({ times }: OrderShape, order: AnyOrder, row: OrderRow | null): object | null {
  const listed = new Map<string, unknown>(Object.entries(row?.status_times ?? {}));
  for (const { member, column, status } of times) {
    if (column !== null) continue;
    const time: unknown = Reflect.get(order, member);
    if (time === null) listed.delete(status);
    else listed.set(status, assertTimestamp(member, time));
  }
  return listed.size === 0 ? null : Object.fromEntries(listed);
}

function jsonOrNull(value: unknown): string | null {
  return value === undefined || value === null ? null : jsonText(value);
}
