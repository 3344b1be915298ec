import type { Result, ResultAsync } from 'neverthrow';
import type { ChangeCustomerError } from './customers/change-customer.ts';
import type { CreateCustomerError, NewCustomer } from './customers/create-customer.ts';
import type { ImportCustomerError, ImportedCustomer } from './customers/import-customer.ts';
import type { CustomerPatch } from './customers/customer-patch.ts';
import type { CustomerDeleted, CustomerWritten } from './customers/customer-repository.ts';
import type { Customer } from './customers/customer.ts';
import type { DeleteCustomerError } from './customers/delete-customer.ts';
import type { ErasureProgress, ErasureWalk } from './erasures/continue-erasures.ts';
import type { CustomerDataLine, CustomerDataQueryInput, ReadCustomerDataError } from './erasures/customer-data.ts';
import type { EraseCustomerError } from './erasures/erase-customer.ts';
import type { ErasePersonError, ErasureWritten, GetErasureError, PresentedErasure } from './erasures/erase-person.ts';
import type { PersonDataQueryInput, ReadPersonDataError } from './erasures/person-data.ts';
import type {
  GetOrderError,
  GetOrderVersionError,
  ItemQueryInput,
  ListOrderItemsError,
  ListOrdersError,
  ListOrderVersionsError,
} from './orders/read-orders.ts';
import type { CustomerQueryInput, CustomerSearch } from './customers/customer-query.ts';
import type { GetCustomerError, ListCustomersError, SearchCustomersError } from './customers/read-customers.ts';
import type { NewAdjustment, WithSigns } from './orders/adjustment.ts';
import type { AddedItems, AddItemsError } from './orders/add-items.ts';
import type { Correction, CorrectOrderError } from './orders/correct-order.ts';
import type { AdjustOrderError, OrderAdjustments } from './orders/adjust-order.ts';
import type { CancelFulfillmentError } from './orders/cancel-fulfillment.ts';
import type { FulfillItemsError, NewFulfillment } from './orders/fulfill-items.ts';
import type { ItemReturn, ReturnItemsError } from './orders/return-items.ts';
import type { Cancellation, CancelOrderError } from './orders/cancel-order.ts';
import type { ChangeOrderError } from './orders/change-order.ts';
import type { DeleteOrderError } from './orders/delete-order.ts';
import type { LineItem } from './orders/line-item.ts';
import type { OrderDefinition, StatusOf } from './orders/definition/order-definition.ts';
import type { DefaultDefinition } from './orders/order-lifecycle.ts';
import type { OrderPatch } from './orders/order-patch.ts';
import type { OrderQueryInput, OrderSearch } from './orders/order-query.ts';
import type { OrderDeleted, OrderWritten } from './orders/order-repository.ts';
import type { OrderVersionQueryInput } from './orders/order-version.ts';
import type { PresentedOrder, PresentedOrderVersion } from './orders/present-order.ts';
import type { ImportedOrder, ImportOrderError, ImportOrderOptions } from './orders/import-order.ts';
import type { NewOrder, PlaceOrderError } from './orders/place-order.ts';
import type { BatchOptions, OrderInBatch, PlaceOrdersError, UntypedOrderInBatch } from './orders/place-orders.ts';
import type { WithInputs } from './bind-ports.ts';
import type { Timestamp } from './shared/clock.ts';
import type { ImportOptions } from './shared/imported-values.ts';
import type { WriteOptions } from './shared/write-options.ts';
import type { Owner, ResourceId } from './shared/ids.ts';
import type { Sort } from './shared/page-query.ts';
import type { Page } from './shared/page.ts';
import type { Unavailable } from './shared/unavailable.ts';
import type { ChangeOptions } from './shared/version.ts';

/** The members of a query for a page that have known values. */
interface Sorted {
  /** Default: newest first, by creation. */
  readonly sort?: Sort | undefined;
}

/** A query for a page of customers. Every member is optional; a customer must match all. */
export interface ListCustomersQuery extends Omit<CustomerQueryInput, 'sort'>, Sorted {}

/** A query for a page of orders. Every member is optional; an order must match all. */
export interface ListOrdersQuery<D extends OrderDefinition = DefaultDefinition>
  extends Omit<OrderQueryInput, 'sort' | 'status'>, Sorted {
  /** The accepted statuses. Default: every status. */
  readonly status?: readonly StatusOf<D>[] | undefined;
}

/** The use cases of orders and customers, bound to their ports. Inputs are validated at run time too. */
export interface Domain<D extends OrderDefinition = DefaultDefinition> {
  /** The definition of the orders, which adapters follow. */
  readonly definition: D;

  /** Places an order with the initial status. An amount with the wrong sign for its type does not compile if it is a literal. */
  readonly placeOrder: <const Adjustments extends readonly NewAdjustment[]>(
    owner: Owner,
    input: NewOrder<D> & { readonly adjustments?: WithSigns<Adjustments> | null | undefined },
    options?: WriteOptions,
  ) => ResultAsync<OrderWritten<D>, PlaceOrderError<D>>;

  /** Places at most {@link BATCH_MAX} orders together, each with the result of `placeOrder` with its key. */
  readonly placeOrders: (
    owner: Owner,
    inputs: readonly OrderInBatch<D>[],
    options?: BatchOptions,
  ) => ResultAsync<readonly Result<OrderWritten<D>, PlaceOrdersError<D>>[], never>;

  /** Imports an order of another system, with its id, times, status and quantities. */
  readonly importOrder: (
    owner: Owner,
    input: ImportedOrder<D>,
    options?: ImportOrderOptions,
  ) => ResultAsync<OrderWritten<D>, ImportOrderError<D>>;

  /** Imports at most {@link BATCH_MAX} orders together, each with the outcome of `importOrder`. */
  readonly importOrders: (
    owner: Owner,
    inputs: readonly ImportedOrder<D>[],
    options?: ImportOrderOptions,
  ) => ResultAsync<readonly Result<OrderWritten<D>, ImportOrderError<D>>[], never>;

  /** Returns one order. */
  readonly getOrder: (owner: Owner, id: string | ResourceId) => ResultAsync<PresentedOrder<D>, GetOrderError>;

  /** Returns one page of orders. */
  readonly listOrders: (
    owner: Owner,
    query?: ListOrdersQuery<D>,
  ) => ResultAsync<Page<PresentedOrder<D>, Timestamp>, ListOrdersError>;

  /** Returns one page of the orders whose buyer has an email. */
  readonly searchOrders: (
    owner: Owner,
    input: OrderSearch,
  ) => ResultAsync<Page<PresentedOrder<D>, Timestamp>, ListOrdersError>;

  /** Returns one page of the items of an order, in line order. */
  readonly listOrderItems: (
    owner: Owner,
    id: string | ResourceId,
    query?: ItemQueryInput,
  ) => ResultAsync<Page<LineItem, number>, ListOrderItemsError>;

  /** Returns one page of the versions of an order, newest first. */
  readonly listOrderVersions: (
    owner: Owner,
    id: string | ResourceId,
    query?: OrderVersionQueryInput,
  ) => ResultAsync<Page<PresentedOrderVersion<D>, number>, ListOrderVersionsError>;

  /** Returns one version of an order. */
  readonly getOrderVersion: (
    owner: Owner,
    id: string | ResourceId,
    version: number,
  ) => ResultAsync<PresentedOrderVersion<D>, GetOrderVersionError>;

  /** Changes an order by a merge patch: as a whole, or not at all. */
  readonly changeOrder: (
    owner: Owner,
    id: string | ResourceId,
    patch: OrderPatch<D>,
    options?: ChangeOptions,
  ) => ResultAsync<OrderWritten<D>, ChangeOrderError<D>>;

  /** Cancels an order, or quantities of its items. */
  readonly cancelOrder: (
    owner: Owner,
    id: string | ResourceId,
    input?: Cancellation,
    options?: ChangeOptions,
  ) => ResultAsync<OrderWritten<D>, CancelOrderError<D>>;

  /** Charges something besides the items of an order, or gives it back. */
  readonly adjustOrder: (
    owner: Owner,
    id: string | ResourceId,
    input: OrderAdjustments,
    options?: ChangeOptions,
  ) => ResultAsync<OrderWritten<D>, AdjustOrderError<D>>;

  /** Appends items to an order. */
  readonly addItems: (
    owner: Owner,
    id: string | ResourceId,
    input: AddedItems,
    options?: ChangeOptions,
  ) => ResultAsync<OrderWritten<D>, AddItemsError<D>>;

  /** Records that items left. */
  readonly fulfillItems: (
    owner: Owner,
    id: string | ResourceId,
    input?: NewFulfillment,
    options?: ChangeOptions,
  ) => ResultAsync<OrderWritten<D>, FulfillItemsError<D>>;

  /** Cancels a fulfillment that was a mistake. */
  readonly cancelFulfillment: (
    owner: Owner,
    id: string | ResourceId,
    fulfillmentId: string | ResourceId,
    options?: ChangeOptions,
  ) => ResultAsync<OrderWritten<D>, CancelFulfillmentError<D>>;

  /** Records that fulfilled items came back. */
  readonly returnItems: (
    owner: Owner,
    id: string | ResourceId,
    input: ItemReturn,
    options?: ChangeOptions,
  ) => ResultAsync<OrderWritten<D>, ReturnItemsError<D>>;

  /** Gives an order any status, as an operator who corrects a mistake. */
  readonly correctOrder: (
    owner: Owner,
    id: string | ResourceId,
    input: Correction<D>,
    options?: ChangeOptions,
  ) => ResultAsync<OrderWritten<D>, CorrectOrderError>;

  /** Deletes an order permanently, in any status. */
  readonly deleteOrder: (
    owner: Owner,
    id: string | ResourceId,
    options?: ChangeOptions,
  ) => ResultAsync<OrderDeleted<D>, DeleteOrderError<D>>;

  /** Creates a customer. */
  readonly createCustomer: (
    owner: Owner,
    input: NewCustomer,
    options?: WriteOptions,
  ) => ResultAsync<CustomerWritten, CreateCustomerError>;

  /** Imports a customer of another system, with its id and times. */
  readonly importCustomer: (
    owner: Owner,
    input: ImportedCustomer,
    options?: ImportOptions,
  ) => ResultAsync<CustomerWritten, ImportCustomerError>;

  /** Imports at most {@link BATCH_MAX} customers together, each with the outcome of `importCustomer`. */
  readonly importCustomers: (
    owner: Owner,
    inputs: readonly ImportedCustomer[],
    options?: ImportOptions,
  ) => ResultAsync<readonly Result<CustomerWritten, ImportCustomerError>[], never>;

  /** Returns one customer. */
  readonly getCustomer: (owner: Owner, id: string | ResourceId) => ResultAsync<Customer, GetCustomerError>;

  /** Returns one page of customers. */
  readonly listCustomers: (
    owner: Owner,
    query?: ListCustomersQuery,
  ) => ResultAsync<Page<Customer, Timestamp>, ListCustomersError>;

  /** Returns the customer with an email, or none. */
  readonly searchCustomers: (
    owner: Owner,
    input: CustomerSearch,
  ) => ResultAsync<readonly Customer[], SearchCustomersError>;

  /** Changes a customer by a merge patch: as a whole, or not at all. */
  readonly changeCustomer: (
    owner: Owner,
    id: string | ResourceId,
    patch: CustomerPatch,
    options?: ChangeOptions,
  ) => ResultAsync<CustomerWritten, ChangeCustomerError>;

  /** Deletes a customer permanently, unless an order refers to it. */
  readonly deleteCustomer: (
    owner: Owner,
    id: string | ResourceId,
    options?: ChangeOptions,
  ) => ResultAsync<CustomerDeleted, DeleteCustomerError>;

  /** Erases a customer, and the personal data of its orders: a first batch at once. */
  readonly eraseCustomer: (
    owner: Owner,
    id: string | ResourceId,
    options?: ChangeOptions,
  ) => ResultAsync<CustomerWritten, EraseCustomerError>;

  /** Returns one page of everything that is stored of a customer, as lines. */
  readonly readCustomerData: (
    owner: Owner,
    id: string | ResourceId,
    query?: CustomerDataQueryInput,
  ) => ResultAsync<Page<CustomerDataLine<D>, string>, ReadCustomerDataError>;

  /** Erases a person by email, also a guest: a first batch of its orders at once. */
  readonly erasePerson: (
    owner: Owner,
    input: CustomerSearch,
    options?: WriteOptions,
  ) => ResultAsync<ErasureWritten, ErasePersonError>;

  /** Returns how far an erasure by email is. */
  readonly getErasure: (owner: Owner, id: string | ResourceId) => ResultAsync<PresentedErasure, GetErasureError>;

  /** Returns one page of everything that is stored of the person with an email, as lines. It may be empty though others follow. */
  readonly readPersonData: (
    owner: Owner,
    query: PersonDataQueryInput,
  ) => ResultAsync<Page<CustomerDataLine<D>, string>, ReadPersonDataError>;

  /** Erases an order again that was erased by email, after a restore; returns whether it did. */
  readonly replayErasure: (owner: Owner, id: string, erased_at: Timestamp) => ResultAsync<boolean, Unavailable>;

  /** Erases the next batch of the orders of all persons whose erasure is pending. Meant to be repeated in the background. */
  readonly continueErasures: (owner: Owner, walk?: ErasureWalk | null) => ResultAsync<ErasureProgress, Unavailable>;
}

/** The inputs of an adapter that are not those of a program: values of any type, such as a parsed request body. */
interface UntypedInputs {
  readonly placeOrder: unknown;
  readonly placeOrders: readonly UntypedOrderInBatch[];
  readonly importOrder: unknown;
  readonly importOrders: readonly unknown[];
  readonly listOrders: OrderQueryInput;
  readonly changeOrder: unknown;
  readonly cancelOrder: unknown;
  readonly adjustOrder: unknown;
  readonly addItems: unknown;
  readonly fulfillItems: unknown;
  readonly returnItems: unknown;
  readonly correctOrder: unknown;
  readonly createCustomer: unknown;
  readonly importCustomer: unknown;
  readonly importCustomers: readonly unknown[];
  readonly listCustomers: CustomerQueryInput;
  readonly searchCustomers: unknown;
  readonly searchOrders: unknown;
  readonly changeCustomer: unknown;
  readonly erasePerson: unknown;
  readonly readPersonData: unknown;
}

/** {@link Domain} with untyped inputs, for adapters that pass on what a client sent. */
export interface UntypedDomain<D extends OrderDefinition = OrderDefinition> extends WithInputs<
  Domain<D>,
  UntypedInputs
> {}

/** Returns the same use cases with untyped inputs. Every use case validates its input, so none has to be typed. */
export function untyped<D extends OrderDefinition>(domain: Domain<D>): UntypedDomain<D>;
export function untyped(domain: object): unknown {
  return domain;
}
