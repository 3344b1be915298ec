// node check-embedded.mjs
import { deepStrictEqual } from 'node:assert';
import { forOwner } from '@orders/client/embedded';
import { createDomain } from '@orders/domain/runtime';
import { inMemoryStore } from '@orders/domain/testing';
import { EXPECTED_OF_ORDERS, useOrders } from './scenario.mjs';

const { orders, customers, feed } = inMemoryStore();
const embedded = forOwner({ domain: createDomain({ orders, customers }), feed }, 'acme');
deepStrictEqual(await useOrders(embedded, 'embedded'), EXPECTED_OF_ORDERS);
