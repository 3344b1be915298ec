import { PAGE_BYTES_MAX } from '../shared/page-bytes.ts';
import { PAGE_LIMIT_MAX } from '../shared/page.ts';
import { ITEM_NAME_LENGTH_MAX, SKU_LENGTH_MAX } from './line-item.ts';
import { NOTE_LENGTH_MAX, REFERENCE_LENGTH_MAX } from './order-details.ts';
import { CANCEL_REASON_LENGTH_MAX } from './order.ts';

/** How many items the orders of one page have together at most, unless its first order alone has more. */
export const PAGE_ITEMS_MAX = 1000;

/** The most bytes of one code point in JSON: a control character is written as an escape such as `\u0001`. */
const ESCAPE_BYTES = 6;

/** More than the JSON of an item has beside its texts: names of members, ids, numbers. */
const ITEM_FRAME_BYTES = 320;

/** More than the JSON of an order has beside its items, metadata and texts. */
const ORDER_FRAME_BYTES = 1024;

/**
 * The most bytes that the orders of one page have as JSON, about 4 MB; a page of customers has less. It is the sum of
 *
 * - {@link PAGE_BYTES_MAX} for metadata, which counts as JSON,
 * - {@link PAGE_LIMIT_MAX} orders, each with its longest note, reference and reason of cancellation, which may grow
 *   sixfold in JSON, and
 * - {@link PAGE_ITEMS_MAX} items, each with its longest SKU and name.
 */
export const PAGE_JSON_BYTES_MAX =
  PAGE_BYTES_MAX +
  PAGE_LIMIT_MAX *
    (ORDER_FRAME_BYTES + ESCAPE_BYTES * (NOTE_LENGTH_MAX + REFERENCE_LENGTH_MAX + CANCEL_REASON_LENGTH_MAX)) +
  PAGE_ITEMS_MAX * (ITEM_FRAME_BYTES + ESCAPE_BYTES * (SKU_LENGTH_MAX + ITEM_NAME_LENGTH_MAX));
