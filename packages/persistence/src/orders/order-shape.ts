import type { OrderDefinition } from '@orders/domain';
import { TIME_COLUMNS, type TimeColumn } from '../tables/order-entity.ts';

/** A member of an order for the time of a status, and where rows have it. */
interface StatusTime {
  readonly status: string;
  readonly member: string;
  /** `null` for a member of `status_times`. */
  readonly column: TimeColumn | null;
}

/** Where rows have what depends on a definition. */
export interface OrderShape {
  /** In the order of the members. */
  readonly times: readonly StatusTime[];
  /** The columns of times that no order of the definition has. */
  readonly unusedColumns: readonly TimeColumn[];
  readonly hasCustom: boolean;
  /** Whether statements contain `custom` and `status_times`. */
  readonly isExtended: boolean;
}

/** Returns where rows have what depends on a definition. */
export function shapeOf({ statuses, entries, custom }: OrderDefinition): OrderShape {
  const times = statuses.flatMap((status): readonly StatusTime[] => {
    const member = entries[status]?.time;
    if (!member) return [];
    return [{ status, member, column: TIME_COLUMNS.find((column) => column === member) ?? null }];
  });
  const hasCustom = custom !== null;
  return {
    times,
    unusedColumns: TIME_COLUMNS.filter((column) => times.every((time) => time.column !== column)),
    hasCustom,
    isExtended: hasCustom || times.some(({ column }) => column === null),
  };
}
