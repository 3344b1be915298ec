import type { OperatorOperation } from '../operator.ts';
import type { Acting } from '../acting-for-owner.ts';
import { type ApiKeyParts, apiKeyOperations } from './api-keys.ts';
import { type AuditParts, auditOperations } from './audit.ts';
import { type ClientCertificateParts, clientCertificateOperations } from './client-certificates.ts';
import { type CommentParts, commentOperations } from './comments.ts';
import { type CorrectionParts, correctionOperations } from './corrections.ts';
import { documentOperations } from './document.ts';
import { jobOperations, type JobParts } from './jobs.ts';
import { type OperatorParts, operatorsOperations } from './operators.ts';
import { type OwnerParts, ownerOperations } from './owners.ts';
import { type OrderParts, orderOperations } from './orders.ts';
import { type TimelineParts, timelineOperations } from './order-timeline.ts';
import { type SessionParts, sessionOperations } from './sessions.ts';
import { type SystemParts, systemOperations } from './system.ts';
import { webhookOperations, type WebhookParts } from './webhooks.ts';

/** What the operations use. */
export type OperationParts = SessionParts &
  OperatorParts &
  OwnerParts &
  OrderParts &
  TimelineParts &
  CommentParts &
  CorrectionParts &
  ApiKeyParts &
  ClientCertificateParts &
  WebhookParts &
  JobParts &
  AuditParts &
  SystemParts &
  Acting;

/** Returns the operations that operators have besides those of owners, in the order of the document. */
export function operatorOperations(parts: OperationParts, document: () => unknown): readonly OperatorOperation[] {
  return [
    ...sessionOperations(parts),
    ...operatorsOperations(parts),
    ...ownerOperations(parts),
    ...orderOperations(parts),
    ...timelineOperations(parts),
    ...commentOperations(parts),
    ...correctionOperations(parts),
    ...apiKeyOperations(parts),
    ...clientCertificateOperations(parts),
    ...webhookOperations(parts),
    ...jobOperations(parts),
    ...auditOperations(parts),
    ...systemOperations(parts),
    ...documentOperations(parts.definition, document),
  ];
}
