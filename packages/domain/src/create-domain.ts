import { changeCustomer } from './customers/change-customer.ts';
import { createCustomer } from './customers/create-customer.ts';
import { deleteCustomer } from './customers/delete-customer.ts';
import { getCustomer } from './customers/get-customer.ts';
import { listCustomers } from './customers/list-customers.ts';
import { cancelOrder } from './orders/cancel-order.ts';
import { changeOrder } from './orders/change-order.ts';
import { deleteOrder } from './orders/delete-order.ts';
import { getOrder } from './orders/get-order.ts';
import { getOrderVersion } from './orders/get-order-version.ts';
import { listOrderItems } from './orders/list-order-items.ts';
import { listOrderVersions } from './orders/list-order-versions.ts';
import { listOrders } from './orders/list-orders.ts';
import { placeOrder } from './orders/place-order.ts';
import type { Ports } from './ports.ts';
import type { Domain } from './domain.ts';
import { assertPorts, bind } from './shared/bind-ports.ts';

/**
 * Binds every use case to `ports`. Each throws a TypeError at once, before it calls a port, when its owner is not 1 to
 * 255 printable ASCII characters: see `isOwner`.
 *
 * @throws {TypeError} a port is missing; the message names it
 */
export function createDomain(ports: Ports): Domain {
  assertPorts('createDomain', ports, ['orders', 'customers', 'clock', 'ids']);
  return {
    placeOrder: bind(placeOrder, ports),
    getOrder: bind(getOrder, ports),
    listOrders: bind(listOrders, ports),
    listOrderItems: bind(listOrderItems, ports),
    listOrderVersions: bind(listOrderVersions, ports),
    getOrderVersion: bind(getOrderVersion, ports),
    changeOrder: bind(changeOrder, ports),
    cancelOrder: bind(cancelOrder, ports),
    deleteOrder: bind(deleteOrder, ports),

    createCustomer: bind(createCustomer, ports),
    getCustomer: bind(getCustomer, ports),
    listCustomers: bind(listCustomers, ports),
    changeCustomer: bind(changeCustomer, ports),
    deleteCustomer: bind(deleteCustomer, ports),
  };
}
