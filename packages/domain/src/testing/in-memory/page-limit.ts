import { elementsOf, PAGE_ELEMENTS_MAX } from '../../orders/order-page-size.ts';
import { freeTextBytes, PAGE_BYTES_MAX } from '../../shared/page-bytes.ts';

/** The members of an order or customer that count towards the size of a page. */
type Sized = Parameters<typeof freeTextBytes>[0] & (Parameters<typeof elementsOf>[0] | { readonly items?: never });

/** Returns a stateful predicate that accepts orders and customers until a page is full. */
export function createPageLimit(): (element: Sized) => boolean {
  let elements = 0;
  let bytes = 0;
  return (element) => {
    elements += element.items ? elementsOf(element) : 0;
    bytes += freeTextBytes(element);
    return elements <= PAGE_ELEMENTS_MAX && bytes <= PAGE_BYTES_MAX;
  };
}
