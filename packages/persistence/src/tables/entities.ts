import { ApiKeyEntity } from './api-key-entity.ts';
import { ClientCertificateEntity } from './client-certificate-entity.ts';
import { ChangeEntity } from './change-entity.ts';
import { CustomerEntity } from './customer-entity.ts';
import {
  OperatorAuditEntity,
  OperatorEntity,
  OperatorJobEntity,
  OperatorTokenEntity,
  OwnerAuditEntity,
  OwnerSettingsEntity,
} from './operator-entity.ts';
import { OrderDefinitionEntity } from './order-definition-entity.ts';
import { CheckpointEntity } from './checkpoint-entity.ts';
import type { Entity } from './entity.ts';
import { ErasedOrderEntity, ErasureEntity } from './erasure-entity.ts';
import { FeedEntity } from './feed-entity.ts';
import { IdempotencyEntity } from './idempotency-entity.ts';
import { OrderCommentEntity } from './order-comment-entity.ts';
import { OrderLookupEntity } from './order-lookup-entity.ts';
import { OrderEntity } from './order-entity.ts';
import { OrderStatisticEntity } from './order-statistic-entity.ts';
import { SendingDatabaseEntity } from './sending-database-entity.ts';
import { WebhookDeliveryEntity } from './webhook-delivery-entity.ts';
import { WebhookEndpointEntity } from './webhook-endpoint-entity.ts';
import { WebhookQueueEntity } from './webhook-queue-entity.ts';

/** All entities. */
export const ENTITIES: readonly Entity[] = [
  ApiKeyEntity,
  ChangeEntity,
  CheckpointEntity,
  ClientCertificateEntity,
  CustomerEntity,
  ErasedOrderEntity,
  ErasureEntity,
  FeedEntity,
  IdempotencyEntity,
  OperatorAuditEntity,
  OperatorEntity,
  OperatorJobEntity,
  OperatorTokenEntity,
  OrderCommentEntity,
  OrderDefinitionEntity,
  OrderEntity,
  OrderLookupEntity,
  OrderStatisticEntity,
  OwnerAuditEntity,
  SendingDatabaseEntity,
  OwnerSettingsEntity,
  WebhookDeliveryEntity,
  WebhookEndpointEntity,
  WebhookQueueEntity,
];
