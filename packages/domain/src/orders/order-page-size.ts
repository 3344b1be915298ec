import { PAGE_BYTES_MAX } from '../shared/page-bytes.ts';
import { PAGE_LIMIT_MAX } from '../shared/page.ts';
import { ORDER_STATUSES_MAX } from './definition/assert-definition.ts';
import { ADJUSTMENT_NAME_LENGTH_MAX } from './adjustment.ts';
import { TRACKING_LENGTH_MAX } from './fulfillment.ts';
import { ITEM_NAME_LENGTH_MAX, ITEMS_METADATA_BYTES_MAX, SKU_LENGTH_MAX } from './line-item.ts';
import { ORDER_FIELDS, unsetOrder } from './order-fields.ts';
import { REASON_LENGTH_MAX } from './order.ts';

/** Maximum number of elements of all orders of a page, as {@link elementsOf} counts them. A single order may exceed it. */
export const PAGE_ELEMENTS_MAX = 1000;

/** Returns the elements of an order: its items and adjustments, and the items of each of its fulfillments. */
export function elementsOf({
  items,
  adjustments,
  fulfillments,
}: {
  readonly items: readonly unknown[];
  readonly adjustments: readonly unknown[];
  readonly fulfillments: readonly { readonly items: readonly unknown[] }[];
}): number {
  return fulfillments.reduce((sum, fulfilled) => sum + fulfilled.items.length, items.length + adjustments.length);
}

/** Maximum bytes of one code point in JSON: a control character becomes an escape such as `\u0001`. */
const ESCAPE_BYTES = 6;

/** Upper bound of the JSON of an element besides its texts: member names, ids and numbers. */
const ELEMENT_FRAME_BYTES = 416;

/** Maximum length of the texts of an element. The longest is a fulfillment of one item, with its tracking. */
const ELEMENT_LENGTH_MAX = Math.max(
  SKU_LENGTH_MAX + ITEM_NAME_LENGTH_MAX,
  ADJUSTMENT_NAME_LENGTH_MAX,
  3 * TRACKING_LENGTH_MAX,
);

/**
 * Upper bound of an order's JSON besides its items, metadata, custom data and texts. Each of the statuses may have a name of
 * 30 bytes, in the name of a time and among the available transitions.
 */
const ORDER_FRAME_BYTES = 1400 + JSON.stringify(unsetOrder(true, {})).length + 96 * ORDER_STATUSES_MAX;

/** Maximum length of the texts of an order: of its fields, its cancellation reason and the reason of its version. */
const ORDER_LENGTH_MAX = Object.values(ORDER_FIELDS).reduce((sum, { length }) => sum + length, 2 * REASON_LENGTH_MAX);

/**
 * Maximum size of a page of orders as JSON, in bytes: about 15 MB, whatever their definition. A page of customers is
 * smaller. It is the sum of
 *
 * - {@link PAGE_BYTES_MAX} of metadata and custom data, whose size is already counted as JSON,
 * - {@link PAGE_LIMIT_MAX} orders, each with the longest texts, which escaping may make six times as long, and
 * - {@link PAGE_ELEMENTS_MAX} elements, each with the longest texts. A page of one order with more of them is smaller,
 *   because it has fewer texts.
 * - {@link ITEMS_METADATA_BYTES_MAX} of metadata of the items of each order.
 */
export const PAGE_JSON_BYTES_MAX =
  PAGE_BYTES_MAX +
  PAGE_LIMIT_MAX * (ORDER_FRAME_BYTES + ESCAPE_BYTES * ORDER_LENGTH_MAX + ITEMS_METADATA_BYTES_MAX) +
  PAGE_ELEMENTS_MAX * (ELEMENT_FRAME_BYTES + ESCAPE_BYTES * ELEMENT_LENGTH_MAX);
