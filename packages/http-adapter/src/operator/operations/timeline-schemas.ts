import type { OrderDefinition } from '@orders/domain';
import {
  DELIVERIES_OF_EVENT_MAX,
  type FieldChange,
  type ItemChange,
  type MoneyChange,
  SUMMARIZED_VERSIONS,
  type SummarizedOrder,
  type SummarizedQuantities,
  type TimelineChange,
  type TimelineComment,
  type TimelineDelivery,
  type TimelineSummary,
} from '@orders/domain/operators';
import { Type } from 'typebox';
import { COMMENT } from '../../api/customers/customer-data-schemas.ts';
import { fieldName, perDefinition } from '../../api/definition-schemas.ts';
import { Adjustment, Fulfillment, orderSchemas } from '../../api/orders/order-schemas.ts';
import {
  Money,
  nullable,
  openEnum,
  OptionalTimestamp,
  orNull,
  pageOf,
  type SchemasOf,
  TEXT,
  Timestamp,
  Uuid,
  Version,
} from '../../api/schemas.ts';
import { deliverySchemas } from '../../api/webhooks/webhook-schemas.ts';
import { NAME_LENGTH_MAX, REASON_LENGTH_MAX } from '../operator.ts';

const Value = (description: string) => Type.Unsafe<unknown>({ description });
const CODE = { pattern: '^[a-z_]+$', maxLength: 64 };

const FieldChangeSchema = (definition: OrderDefinition) =>
  Type.Object(
    {
      field: Type.String({ ...fieldName(definition), description: 'Member of the order' }),
      key: nullable(Type.String({ ...TEXT, maxLength: 255 }), {
        description: 'Member of an object, such as a key of `metadata`; null for a change of the field as a whole',
      }),
      before: Value('Any JSON; null for what was not set'),
      after: Value('Any JSON; null for what is not set'),
    } satisfies SchemasOf<FieldChange>,
    { title: 'FieldChange', description: 'A value that a version changed' },
  );

const Difference = Type.Integer({
  format: 'int32',
  minimum: -1_000_000,
  maximum: 1_000_000,
  description: 'Negative for what was taken back',
});
const ItemChangeSchema = Type.Object(
  {
    item_id: Uuid,
    sku: Type.String({ ...TEXT, maxLength: 64 }),
    name: Type.String({ ...TEXT, maxLength: 255 }),
    ordered: Difference,
    fulfilled: Difference,
    cancelled: Difference,
    returned: Difference,
  } satisfies SchemasOf<ItemChange>,
  { title: 'ItemChange', description: 'How the quantities of an item changed' },
);

const MoneyChangeSchema = Type.Object(
  {
    before: orNull([Money], { description: 'Null for a new order' }),
    after: Money,
    adjustments: Type.Array(Adjustment, { maxItems: 100, description: 'Those that were added' }),
  } satisfies SchemasOf<MoneyChange>,
  { title: 'MoneyChange', description: 'The total before and after a version' },
);

const Quantity = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Quantities = Type.Object(
  {
    ordered: Quantity,
    fulfilled: Quantity,
    cancelled: Quantity,
    returned: Quantity,
    open: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Neither fulfilled nor cancelled',
    }),
  } satisfies SchemasOf<SummarizedQuantities>,
  { title: 'SummarizedQuantities', description: 'Those of all items together' },
);

// Not the status of the definition: an order may have one that it no longer has.
const Status = Type.String({ ...TEXT, maxLength: 255 });

const ActorName = nullable(Type.String({ ...TEXT, maxLength: Math.max(NAME_LENGTH_MAX, 255) }), {
  description: 'Name of the operator, API key or client certificate; null without one',
});

/** Returns the schema of a page of the timeline of an order of a definition. */
export const timelineSchema = perDefinition((definition) => {
  const { version, type, changed, actor, external_user_id, reason } = orderSchemas(definition).OrderVersion.properties;
  const { status, attempts, last_status, last_error, last_duration_ms, next_attempt_at } =
    deliverySchemas(definition).WebhookDelivery.properties;
  const author = { type, actor, actor_name: ActorName, external_user_id };
  const endpoint = {
    endpoint_id: Uuid,
    endpoint_url: nullable(Type.String({ ...TEXT, maxLength: 2048 }), {
      description: 'Its host alone for a viewer; null once the endpoint was deleted',
    }),
  };
  const attempted = { ...endpoint, status, attempts, last_status, last_error, next_attempt_at };

  const Delivery = Type.Object({ ...attempted, last_duration_ms } satisfies SchemasOf<TimelineDelivery>, {
    title: 'TimelineDelivery',
    description: 'The delivery of the event of a version to one endpoint',
  });

  const Change = Type.Object(
    {
      kind: Type.String({ enum: ['change'] }),
      at: Timestamp,
      version,
      ...author,
      reason,
      operator_reason: nullable(Type.String({ ...TEXT, maxLength: REASON_LENGTH_MAX }), {
        description:
          'Why an operator made it, as in `Orders-Reason`, which owners do not see. Null without one, and once it was erased',
      }),
      changed,
      changes: nullable(
        Type.Array(FieldChangeSchema(definition), {
          maxItems: 1000,
        }),
        {
          description:
            'Null when this version or the one before was purged. Fewer than `changed` names for a viewer, and once personal data was erased',
        },
      ),
      items: Type.Array(ItemChangeSchema, { maxItems: 100 }),
      money: orNull([MoneyChangeSchema], { description: 'Null if neither the total nor the adjustments changed' }),
      fulfillments: Type.Array(Fulfillment, { maxItems: 100, description: 'Those that were made or cancelled' }),
      deliveries: nullable(Type.Array(Delivery, { maxItems: DELIVERIES_OF_EVENT_MAX }), {
        description: 'None until the event is delivered; null once they were purged',
      }),
    } satisfies SchemasOf<TimelineChange>,
    { title: 'TimelineChange', description: 'A version of the order' },
  );

  const Order = Type.Object(
    {
      status: Status,
      available_transitions: Type.Array(Status, { maxItems: 100 }),
      reference: nullable(Type.String({ ...TEXT, maxLength: 64 })),
      customer_id: nullable(Uuid),
      line_count: Type.Integer({ format: 'int32', minimum: 0, maximum: 100 }),
      quantities: Quantities,
      total: Money,
      refunded: Money,
      created_at: Timestamp,
      updated_at: Timestamp,
      erased_at: OptionalTimestamp,
      entered: Type.Array(Type.Object({ status: Status, at: Timestamp }, { title: 'EnteredStatus' }), {
        maxItems: 100,
        description: 'The statuses that it has entered, oldest first',
      }),
    } satisfies SchemasOf<SummarizedOrder>,
    { title: 'SummarizedOrder', description: 'What the order is, or was before its deletion' },
  );

  const Fault = Type.Object(
    {
      code: Type.String({ ...openEnum(['delivery_failed', 'delivery_retried', 'status_unknown']), ...CODE }),
      status: Type.String({ ...TEXT, maxLength: 255, description: 'That of the delivery, or of the order' }),
      version: Type.Optional(Type.Unsafe<unknown>({ ...Version, title: undefined })),
      type: Type.Optional(type),
      ...Object.fromEntries(
        Object.entries({ ...endpoint, attempts, last_status, last_error, next_attempt_at }).map(([name, schema]) => [
          name,
          Type.Optional(schema),
        ]),
      ),
      count: Type.Optional(Type.Integer({ format: 'int32', minimum: 1, maximum: 2 ** 31 - 1 })),
    },
    {
      title: 'TimelineFault',
      description: `What went wrong. Deliveries to one endpoint are one fault, with \`count\` and the members of the first; those of the newest ${SUMMARIZED_VERSIONS} versions are looked at`,
    },
  );

  const Summary = Type.Object(
    {
      id: Uuid,
      version,
      order: orNull([Order], { description: 'Null once the snapshots of a deleted order were purged' }),
      deleted_at: OptionalTimestamp,
      placed_by: orNull([Type.Object(author, { title: 'PlacedBy', description: 'Who placed or imported the order' })], {
        description: 'Null once the first version was purged',
      }),
      complete_from: nullable(Timestamp, {
        description: 'The time from which all versions have their changes; null if none has',
      }),
      faults: Type.Array(Fault, { maxItems: 1000 }),
    } satisfies SchemasOf<TimelineSummary>,
    { title: 'TimelineSummary', description: 'What the order is, what is open, and what went wrong' },
  );

  const Comment = Type.Object(
    {
      kind: Type.String({ enum: ['comment'] }),
      at: Timestamp,
      id: Uuid,
      actor,
      actor_name: ActorName,
      text: COMMENT.text,
    } satisfies SchemasOf<TimelineComment>,
    { title: 'TimelineComment', description: 'What an operator wrote about the order' },
  );

  const { properties } = pageOf('OrderTimeline', Type.Union([Change, Comment]));
  return Type.Object(
    { summary: orNull([Summary], { description: 'On the first page alone' }), ...properties },
    { title: 'OrderTimeline', description: 'One page of what happened to an order, oldest first' },
  );
});
