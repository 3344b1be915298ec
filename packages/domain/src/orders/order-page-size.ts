import { PAGE_BYTES_MAX } from '../shared/page-bytes.ts';
import { PAGE_LIMIT_MAX } from '../shared/page.ts';
import { ORDER_STATUSES_MAX } from './definition/assert-definition.ts';
import { ITEM_NAME_LENGTH_MAX, SKU_LENGTH_MAX } from './line-item.ts';
import { NOTE_LENGTH_MAX, REFERENCE_LENGTH_MAX } from './order-details.ts';
import { CANCEL_REASON_LENGTH_MAX } from './order.ts';

/** Maximum number of items of all orders of a page. A single order never exceeds it. */
export const PAGE_ITEMS_MAX = 1000;

/** Maximum bytes of one code point in JSON: a control character becomes an escape such as `\u0001`. */
const ESCAPE_BYTES = 6;

/** Upper bound of an item's JSON besides its texts: member names, ids and numbers. */
const ITEM_FRAME_BYTES = 320;

/**
 * Upper bound of an order's JSON besides its items, metadata, custom data and texts. Each of the statuses may have a name of
 * 30 bytes, in the name of a time and among the available transitions.
 */
const ORDER_FRAME_BYTES = 1024 + 96 * ORDER_STATUSES_MAX;

/**
 * Maximum size of a page of orders as JSON, in bytes: about 4.5 MB, whatever their definition. A page of customers is
 * smaller. It is the sum of
 *
 * - {@link PAGE_BYTES_MAX} of metadata and custom data, whose size is already counted as JSON,
 * - {@link PAGE_LIMIT_MAX} orders, each with the longest note, reference and cancellation reason, which escaping may
 *   make six times as long, and
 * - {@link PAGE_ITEMS_MAX} items, each with the longest SKU and name.
 */
export const PAGE_JSON_BYTES_MAX =
  PAGE_BYTES_MAX +
  PAGE_LIMIT_MAX *
    (ORDER_FRAME_BYTES + ESCAPE_BYTES * (NOTE_LENGTH_MAX + REFERENCE_LENGTH_MAX + CANCEL_REASON_LENGTH_MAX)) +
  PAGE_ITEMS_MAX * (ITEM_FRAME_BYTES + ESCAPE_BYTES * (SKU_LENGTH_MAX + ITEM_NAME_LENGTH_MAX));
