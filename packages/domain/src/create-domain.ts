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
import { assertOwner, type Owner } from './shared/ids.ts';

/**
 * Binds every use case to `ports`. Each throws a TypeError at once, before it calls a port, when its owner is not 1 to
 * 255 printable ASCII characters: see `isOwner`.
 *
 * @throws {TypeError} a port is missing; the message names it
 */
export function createDomain(ports: Ports): Domain {
  for (const name of REQUIRED_PORTS) {
    if (!isObject(ports[name])) throw new TypeError(`createDomain: the port "${name}" is missing`);
  }
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

const REQUIRED_PORTS = ['orders', 'customers', 'clock', 'ids'] as const satisfies readonly (keyof Ports)[];

function isObject(port: unknown): boolean {
  return typeof port === 'object' && port !== null;
}

/** Binds a use case to its ports and validates the owner of every call, so that no use case has to. */
function bind<Arguments extends readonly unknown[], Outcome>(
  useCase: (ports: Ports, owner: Owner, ...rest: Arguments) => Outcome,
  ports: Ports,
): (owner: Owner, ...rest: Arguments) => Outcome {
  return (owner, ...rest) => {
    assertOwner(owner);
    return useCase(ports, owner, ...rest);
  };
}
