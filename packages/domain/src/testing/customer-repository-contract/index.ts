import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { ORDERS } from '../../orders/order-lifecycle.ts';
import type { OpenSubject, TestRunner } from '../contract-subject.ts';
import { orderFixtures, widen } from '../order-fixtures.ts';
import { createContract } from './create.contract.ts';
import { deleteContract } from './delete.contract.ts';
import { customerPageBytesContract, listContract } from './list.contract.ts';
import { idempotencyContract } from './idempotency.contract.ts';
import { rejectionsContract } from './rejections.contract.ts';
import { storedValuesContract } from './stored-values.contract.ts';
import { updateContract } from './update.contract.ts';
import { versionsContract } from './versions.contract.ts';

/**
 * Registers with `runner` every test that an adapter of the customer repository port must pass. The adapter stores
 * orders of `definition`, by default {@link ORDERS}.
 */
export function customerRepositoryContract<D extends OrderDefinition>(
  runner: TestRunner,
  open: OpenSubject<D>,
  definition: D,
): void;
export function customerRepositoryContract(runner: TestRunner, open: OpenSubject): void;
export function customerRepositoryContract(
  runner: TestRunner,
  open: OpenSubject | OpenSubject<OrderDefinition>,
  definition: OrderDefinition = ORDERS,
): void {
  const openAny: OpenSubject<OrderDefinition> = widen(open);
  const orders = orderFixtures(definition);
  createContract(runner, openAny);
  updateContract(runner, openAny);
  storedValuesContract(runner, openAny);
  rejectionsContract(runner, openAny);
  deleteContract(runner, openAny, orders);
  listContract(runner, openAny);
  customerPageBytesContract(runner, openAny);
  idempotencyContract(runner, openAny, orders);
  versionsContract(runner, openAny);
}
