import { PAGE_ITEMS_MAX } from '../../orders/order-page-size.ts';
import type { Metadata } from '../../shared/metadata.ts';
import { freeTextBytes, PAGE_BYTES_MAX } from '../../shared/page-bytes.ts';

/** The members of an order or customer that count towards the size of a page. */
interface Sized {
  readonly items?: readonly unknown[];
  readonly note?: string | null;
  readonly metadata: Metadata;
  readonly custom?: unknown;
}

/** Returns a stateful predicate that accepts orders and customers until a page is full. */
export function createPageLimit(): (element: Sized) => boolean {
  let lines = 0;
  let bytes = 0;
  return (element) => {
    lines += element.items?.length ?? 0;
    bytes += freeTextBytes(element);
    return lines <= PAGE_ITEMS_MAX && bytes <= PAGE_BYTES_MAX;
  };
}
