import type { OperatorOperation } from '../operator.ts';
import { type AuditParts, auditOperations } from './audit.ts';
import { documentOperations } from './document.ts';
import { type OperatorParts, operatorsOperations } from './operators.ts';
import { type OwnerParts, ownerOperations } from './owners.ts';
import { type SessionParts, sessionOperations } from './sessions.ts';

/** What the operations use. */
export type OperationParts = SessionParts & OperatorParts & OwnerParts & AuditParts;

/** Returns the operations on what belongs to no owner, in the order of the document. */
export function operatorOperations(parts: OperationParts, document: () => unknown): readonly OperatorOperation[] {
  return [
    ...sessionOperations(parts),
    ...operatorsOperations(parts),
    ...ownerOperations(parts),
    ...auditOperations(parts),
    ...documentOperations(document),
  ];
}
