export * from './orders/operator-jobs.ts';
export * from './orders/orders-of-owners.ts';
export * from './timeline/merge-entries.ts';
export {
  type FieldChange,
  isPersonalField,
  type ItemChange,
  type MoneyChange,
  type OrderChanges,
  orderChanges,
} from './timeline/order-changes.ts';
export * from './timeline/order-timeline.ts';
export * from './timeline/read-timeline.ts';
export { type DeliveryOfVersion, type Summarized, summarizeOrder } from './timeline/summarize-order.ts';
export { isTimePosition } from './shared/page-query.ts';
