import type { TestRunner } from '../contract-subject.ts';
import { createContract } from './create.contract.ts';
import { deleteContract } from './delete.contract.ts';
import { idempotencyContract } from './idempotency.contract.ts';
import { listContract } from './list.contract.ts';
import type { OpenWebhookEndpointSubject } from './subject.ts';
import { updateContract } from './update.contract.ts';

/** Registers with `runner` every test that adapters of the port of webhook endpoints must pass. */
export function webhookEndpointRepositoryContract(runner: TestRunner, open: OpenWebhookEndpointSubject): void {
  createContract(runner, open);
  updateContract(runner, open);
  deleteContract(runner, open);
  idempotencyContract(runner, open);
  listContract(runner, open);
}
