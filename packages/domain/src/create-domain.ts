import { changeCustomer } from './customers/change-customer.ts';
import { createCustomer } from './customers/create-customer.ts';
import { importCustomer, importCustomers } from './customers/import-customer.ts';
import { deleteCustomer } from './customers/delete-customer.ts';
import { continueErasures, replayErasure } from './erasures/continue-erasures.ts';
import { readCustomerData } from './erasures/customer-data.ts';
import { eraseCustomer } from './erasures/erase-customer.ts';
import { erasePerson, getErasure } from './erasures/erase-person.ts';
import { readPersonData } from './erasures/person-data.ts';
import { addItems } from './orders/add-items.ts';
import { adjustOrder } from './orders/adjust-order.ts';
import { cancelFulfillment } from './orders/cancel-fulfillment.ts';
import { cancelOrder } from './orders/cancel-order.ts';
import { changeOrder } from './orders/change-order.ts';
import { correctOrder } from './orders/correct-order.ts';
import { deleteOrder } from './orders/delete-order.ts';
import { fulfillItems } from './orders/fulfill-items.ts';
import { returnItems } from './orders/return-items.ts';
import { getCustomer, listCustomers, searchCustomers } from './customers/read-customers.ts';
import {
  getOrder,
  getOrderVersion,
  listOrderItems,
  listOrders,
  listOrderVersions,
  searchOrders,
} from './orders/read-orders.ts';
import { importOrder, importOrders } from './orders/import-order.ts';
import { placeOrder } from './orders/place-order.ts';
import { placeOrders } from './orders/place-orders.ts';
import type { OrderDefinition } from './orders/definition/order-definition.ts';
import { ORDERS } from './orders/order-lifecycle.ts';
import type { OrderPorts } from './orders/order-repository.ts';
import type { Ports } from './ports.ts';
import type { Domain } from './domain.ts';
import { assertDefinitionOf, assertPorts, bind, type DefinitionBeside } from './bind-ports.ts';

/**
 * Binds every use case to `ports`. Each throws a TypeError at once, before it calls a port, when its owner is not 1 to 255
 * printable ASCII characters: see `isOwner`.
 *
 * @param definition the definition of the orders; default: that of the port `orders`, or else {@link ORDERS}
 * @throws {TypeError} a port is missing, or was created for another definition; the message names it
 */
export function createDomain<
  D extends OrderDefinition,
  P extends { readonly orders: object } = Ports<D>,
  Given extends OrderDefinition = D,
>(ports: P & Ports<D>, ...definition: DefinitionBeside<P['orders'], D, Given>): Domain<D>;
export function createDomain(ports: Ports<OrderDefinition>, expected?: OrderDefinition): unknown {
  assertPorts('createDomain', ports, ['orders', 'customers', 'clock', 'ids']);
  const definition = expected ?? ports.orders.definition ?? ORDERS;
  assertDefinitionOf('createDomain', 'orders', ports.orders, definition);
  return bindUseCases({ ...widen(ports), definition });
}

/** Returns the ports themselves. A domain hands an adapter only orders of the definition that both have. */
function widen(ports: object): Ports<OrderDefinition>;
function widen(ports: object): unknown {
  return ports;
}

/** Binds every use case to ports for orders of a definition that is known only when the program runs. */
function bindUseCases(bound: OrderPorts): Domain<OrderDefinition> {
  return {
    definition: bound.definition,

    placeOrder: bind(placeOrder, bound),
    placeOrders: bind(placeOrders, bound),
    importOrder: bind(importOrder, bound),
    importOrders: bind(importOrders, bound),
    getOrder: bind(getOrder, bound),
    listOrders: bind(listOrders, bound),
    searchOrders: bind(searchOrders, bound),
    listOrderItems: bind(listOrderItems, bound),
    listOrderVersions: bind(listOrderVersions, bound),
    getOrderVersion: bind(getOrderVersion, bound),
    changeOrder: bind(changeOrder, bound),
    cancelOrder: bind(cancelOrder, bound),
    adjustOrder: bind(adjustOrder, bound),
    addItems: bind(addItems, bound),
    fulfillItems: bind(fulfillItems, bound),
    cancelFulfillment: bind(cancelFulfillment, bound),
    returnItems: bind(returnItems, bound),
    correctOrder: bind(correctOrder, bound),
    deleteOrder: bind(deleteOrder, bound),

    createCustomer: bind(createCustomer, bound),
    importCustomer: bind(importCustomer, bound),
    importCustomers: bind(importCustomers, bound),
    getCustomer: bind(getCustomer, bound),
    listCustomers: bind(listCustomers, bound),
    searchCustomers: bind(searchCustomers, bound),
    changeCustomer: bind(changeCustomer, bound),
    deleteCustomer: bind(deleteCustomer, bound),
    eraseCustomer: bind(eraseCustomer, bound),
    readCustomerData: bind(readCustomerData, bound),
    erasePerson: bind(erasePerson, bound),
    getErasure: bind(getErasure, bound),
    readPersonData: bind(readPersonData, bound),
    replayErasure: bind(replayErasure, bound),
    continueErasures: bind(continueErasures, bound),
  };
}
