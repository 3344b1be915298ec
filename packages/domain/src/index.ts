export { createDomain } from './create-domain.ts';
export { type Domain, type ListCustomersQuery, type ListOrdersQuery, type UntypedDomain, untyped } from './domain.ts';
export type { DefinedPorts, Ports } from './ports.ts';
export type { DefinitionBeside } from './bind-ports.ts';

export type { AnyOrder, Order } from './orders/order.ts';
export { type PresentedOrder, type PresentedOrderVersion, presentOrder } from './orders/present-order.ts';
export { REASON_LENGTH_MAX } from './orders/order.ts';
export { NOTE_LENGTH_MAX, ORDER_FIELDS, type OrderFields, REFERENCE_LENGTH_MAX } from './orders/order-fields.ts';
export { type Address, ADDRESS_MEMBERS, type NewAddress } from './orders/address.ts';
export { type Buyer, BUYER_MEMBERS, type NewBuyer } from './orders/buyer.ts';
export {
  EXTERNAL_ID_LENGTH_MAX,
  EXTERNAL_IDS_MAX,
  type ExternalIds,
  type ExternalIdsPatch,
  SYSTEM_LENGTH_MAX,
  SYSTEM_PATTERN,
  SYSTEMS_PATCH_MAX,
} from './orders/external-ids.ts';
export type { TextMember } from './shared/merged-fields.ts';
export {
  type AddedAdjustment,
  type Adjustment,
  ADJUSTMENT_AMOUNT_MAX,
  ADJUSTMENT_NAME_LENGTH_MAX,
  ADJUSTMENT_SIGNS,
  ADJUSTMENT_TYPES,
  ADJUSTMENTS_MAX,
  type AdjustmentType,
  type FurtherAdjustment,
  type NewAdjustment,
} from './orders/adjustment.ts';
export {
  type Fulfillment,
  FULFILLMENTS_MAX,
  type ItemQuantity,
  type NewTracking,
  type Tracking,
  TRACKING_LENGTH_MAX,
} from './orders/fulfillment.ts';
export type { LineItem, NewLineItem } from './orders/line-item.ts';
export {
  ITEM_METADATA_KEYS_MAX,
  ITEM_METADATA_VALUE_LENGTH_MAX,
  ITEM_NAME_LENGTH_MAX,
  ITEMS_METADATA_BYTES_MAX,
  ITEMS_MAX,
  QUANTITY_MAX,
  SKU_LENGTH_MAX,
} from './orders/line-item.ts';
export {
  availableTransitions,
  canBecome,
  type DefaultDefinition,
  ORDER_LIFECYCLE,
  ORDER_STATUSES,
  ORDERS,
  type OrderStatus,
} from './orders/order-lifecycle.ts';
export { STATUS_REQUIRED } from './orders/definition/order-definition.ts';
export { defineOrders } from './orders/define-orders.ts';
export type { EntryGuards, Guard, GuardedOrder, Guards } from './orders/guards.ts';
export { ORDER_STATUSES_MAX, OWN_LOOKUPS_MAX } from './orders/definition/assert-definition.ts';
export {
  type CustomData,
  type CustomInputOf,
  type CustomOf,
  type EnteredStatusOf,
  type LifecycleTable,
  type NextStatusOf,
  type OrderDefinition,
  type RefusalOf,
  RESERVED_STATUSES,
  type StatusOf,
} from './orders/definition/order-definition.ts';
export type { StatusEntry } from './orders/definition/status-event.ts';
export { CUSTOM_BYTES_MAX, CUSTOM_DEPTH_MAX, CUSTOM_PATCH_BYTES_MAX, type MergePatch } from './orders/order-custom.ts';
export { ORDER_EVENT_TYPES, type OrderEvent, type OrderEventType, orderKind } from './orders/order-kind.ts';
export * from './orders/order-errors.ts';
export type {
  OrderDeleted,
  OrderRepository,
  OrderWritten,
  OrderOfPersons,
  OrdersOfPersons,
  VersionPosition,
} from './orders/order-repository.ts';
export { ERASED_MEMBERS, erasedFor, personsOf, withoutPersonalData } from './orders/erase-order.ts';
export { isRefusedAsErased, newCustomerOf, type NewCustomerOfOrder } from './orders/order-rules.ts';
export {
  changedLookups,
  EMAIL_LOOKUP,
  type FoundLookups,
  LOOKED_UP,
  LOOKUP_VALUE_LENGTH_MAX,
  lookupsOf,
  OWN_PREFIX,
} from './orders/lookups.ts';
export * from './orders/order-query.ts';
export { elementsOf, PAGE_ELEMENTS_MAX, PAGE_JSON_BYTES_MAX } from './orders/order-page-size.ts';
export { freeTextBytes, PAGE_BYTES_MAX } from './shared/page-bytes.ts';
export type { NewOrder, PlaceOrder, PlaceOrderError } from './orders/place-order.ts';
export type {
  ImportedFulfillment,
  ImportedItem,
  ImportedOrder,
  ImportOrderError,
  ImportOrderOptions,
} from './orders/import-order.ts';
export {
  type BatchOptions,
  type OrderInBatch,
  type PlaceOrdersError,
  type UntypedOrderInBatch,
} from './orders/place-orders.ts';
export { type OrderBatch, parseOrderBatch, partsOf } from './orders/order-batch.ts';
export { BATCH_MAX } from './aggregates/create-together.ts';
export { IMPORTED_VERSION_MAX, type ImportOptions } from './shared/imported-values.ts';
export type { IdTaken } from './aggregates/import-aggregate.ts';
export type { ImportCustomerError, ImportedCustomer } from './customers/import-customer.ts';
export {
  type GetOrderError,
  type GetOrderVersionError,
  type ItemQueryInput,
  type ListOrderItemsError,
  type ListOrdersError,
  type ListOrderVersionsError,
  parseItemQuery,
} from './orders/read-orders.ts';
export type { GetCustomerError, ListCustomersError, SearchCustomersError } from './customers/read-customers.ts';
export {
  CUSTOMER_FILTERS,
  type CustomerQuery,
  type CustomerQueryInput,
  type CustomerSearch,
  parseCustomerQuery,
} from './customers/customer-query.ts';
export type { AddedItems, AddItemsError } from './orders/add-items.ts';
export type { AdjustOrderError, OrderAdjustments } from './orders/adjust-order.ts';
export { COMMENT_LENGTH_MAX, COMMENTS_MAX, type OrderComment } from './orders/order-comment.ts';
export { type Correction, type CorrectOrderError, withLostStatus } from './orders/correct-order.ts';
export type { CancelFulfillmentError } from './orders/cancel-fulfillment.ts';
export type { Cancellation, CancelOrderError } from './orders/cancel-order.ts';
export type { FulfillItemsError, NewFulfillment } from './orders/fulfill-items.ts';
export type { ItemReturn, ReturnItemsError } from './orders/return-items.ts';
export { ORDER_RULES, type OrderRule, type QuantityRule } from './orders/order-rules.ts';
export type { OrderCommandRejected } from './orders/apply-order-command.ts';
export type { WriteOrderError } from './orders/write-order.ts';
export type { ChangeOrderError } from './orders/change-order.ts';
export type { OrderChangeRejected } from './orders/apply-order-change.ts';
export type { OrderChange, OrderPatch } from './orders/order-patch.ts';
export type { DeleteOrderError } from './orders/delete-order.ts';
export {
  type OrderVersion,
  type OrderVersionQuery,
  type OrderVersionQueryInput,
  parseOrderVersionQuery,
  type VersionNotFound,
} from './orders/order-version.ts';

export type { ChangeCustomerError } from './customers/change-customer.ts';
export type { CreateCustomerError, NewCustomer } from './customers/create-customer.ts';
export type { CustomerPatch } from './customers/customer-patch.ts';
export type { CustomerErased, CustomerHasOrders, CustomerNotFound, EmailTaken } from './customers/customer-errors.ts';
export * from './customers/customer-kind.ts';
export {
  type CustomerDeleted,
  type CustomerRepository,
  type CustomerWritten,
  ERASING_MAX,
  type PersonErased,
} from './customers/customer-repository.ts';
export {
  type Customer,
  CUSTOMER_NAME_LENGTH_MAX,
  EMAIL_LENGTH_MAX,
  EMAIL_LENGTH_MIN,
  emailKey,
  type Erasure,
} from './customers/customer.ts';
export type { DeleteCustomerError } from './customers/delete-customer.ts';
export type { ErasureProgress, ErasureWalk } from './erasures/continue-erasures.ts';
export {
  type CustomerDataLine,
  type CustomerDataQueryInput,
  parseCustomerDataQuery,
  type ReadCustomerDataError,
} from './erasures/customer-data.ts';
export type { EraseCustomerError } from './erasures/erase-customer.ts';
export * from './customers/erasure-kind.ts';
export type * from './customers/erasure-repository.ts';
export type {
  ErasePersonError,
  ErasureNotFound,
  ErasureWritten,
  GetErasureError,
  PresentedErasure,
} from './erasures/erase-person.ts';
export {
  parsePersonDataQuery,
  type PersonDataQuery,
  type PersonDataQueryInput,
  type ReadPersonDataError,
} from './erasures/person-data.ts';

export type { AggregateKind } from './aggregates/aggregate-kind.ts';
export type * from './aggregates/aggregate-store.ts';
export * from './aggregates/conflict-order.ts';

export { type Author, authorOf, EXTERNAL_USER_ID_RULE, isActor, isExternalUserId } from './shared/author.ts';
export type { Clock, Timestamp } from './shared/clock.ts';
export { COUNTRIES, WITHDRAWN_COUNTRIES } from './shared/countries.ts';
export { CURRENCIES, minorUnits, WITHDRAWN_CURRENCIES } from './shared/currencies.ts';
export type { DomainEvent } from './shared/domain-event.ts';
export { assertOwner, type IdSource, isIdempotencyKey, isOwner, isUuid, type Owner, ResourceId } from './shared/ids.ts';
export { invalidFieldsOf } from './invalid-fields.ts';
export { INVALID_CODES, type InvalidCode } from './shared/invalid-codes.ts';
export { type InvalidField, InvalidFields, INVALID_FIELDS_MAX, type ValidationFailed } from './shared/validation.ts';
export {
  type Metadata,
  METADATA_KEY_LENGTH_MAX,
  METADATA_KEYS_MAX,
  METADATA_PATCH_KEYS_MAX,
  METADATA_VALUE_LENGTH_MAX,
  type MetadataPatch,
} from './shared/metadata.ts';
export {
  FILTER_IDS_MAX,
  type FilterInput,
  type FilterValues,
  type ListFilter,
  type ListFilters,
  type Lookup,
  matchesFilter,
  SCANNED_ELEMENTS_MAX,
  scanningFilters,
} from './shared/list-filters.ts';
export { type Money, UNIT_PRICE_MAX } from './shared/money.ts';
export { type KeyReused, type Idempotency, IDEMPOTENCY_TTL_MS_DEFAULT } from './shared/idempotency.ts';
export { type Page, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX, PAGE_OFFSET_MAX, type Position } from './shared/page.ts';
export {
  type PageQuery,
  type PageQueryInput,
  parsePageQuery,
  type Sort,
  SORT_DEFAULT,
  SORTS,
} from './shared/page-query.ts';
export type { InternalError, Unavailable } from './shared/unavailable.ts';
export { isRejected, orThrow, Rejected } from './shared/or-throw.ts';
export type { ChangeOptions, ExpectedVersion, PreconditionFailed } from './shared/version.ts';
export type { AuthorOptions, WriteOptions } from './shared/write-options.ts';
