import { erasureKind } from '@orders/domain';
import { ErasureEntity } from '../tables/erasure-entity.ts';
import type { StoredKind } from '../writes/aggregate-kind.ts';
import type { AggregateTable } from '../writes/write-functions.ts';

/** The table of erasures by email, for writes. */
export const ERASURE_TABLE: AggregateTable = {
  of: erasureKind,
  table: 'erasures',
  entity: ErasureEntity,
  fixed: ['email_key', 'customer_id', 'created_at'],
  erases: true,
  constraints: [],
};

/** Erasures by email as they are stored. They have no snapshots, because an email would stay there. */
export const storedErasures: StoredKind = { tables: [ERASURE_TABLE], restoreOf: () => () => null };
