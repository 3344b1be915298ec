import {
  CANCEL_REASON_LENGTH_MAX,
  ITEM_NAME_LENGTH_MAX,
  NOTE_LENGTH_MAX,
  PAGE_BYTES_MAX,
  PAGE_ITEMS_MAX,
  PAGE_JSON_BYTES_MAX,
  PAGE_LIMIT_MAX,
  REFERENCE_LENGTH_MAX,
  SKU_LENGTH_MAX,
} from '@orders/domain';
import { expect, it } from 'vitest';

/** Returns the bytes that a text of `length` characters has in JSON when each of them is escaped. */
const escaped = (length: number) => JSON.stringify('\u0001'.repeat(length)).length - '""'.length;

it('the largest page has room for free text, the longest texts of all orders and items, and their frames', () => {
  const textsOfOrder = escaped(NOTE_LENGTH_MAX) + escaped(REFERENCE_LENGTH_MAX) + escaped(CANCEL_REASON_LENGTH_MAX);
  const textsOfItem = escaped(SKU_LENGTH_MAX) + escaped(ITEM_NAME_LENGTH_MAX);
  const texts = PAGE_BYTES_MAX + PAGE_LIMIT_MAX * textsOfOrder + PAGE_ITEMS_MAX * textsOfItem;
  expect(PAGE_JSON_BYTES_MAX - texts).toBe(PAGE_LIMIT_MAX * 1024 + PAGE_ITEMS_MAX * 320);
});
