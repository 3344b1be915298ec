import { ORDER_STATUSES_MAX, RESERVED_STATUSES } from '@orders/domain';
import { DIALECT } from './custom-schema-faults.ts';

/** The JSON schema of a definition file, with which editors validate and complete it. */
export const DEFINITION_SCHEMA = {
  $schema: DIALECT,
  title: 'Definition of orders',
  description: 'The lifecycle and the custom data of orders, for ORDERS_DEFINITION of the server.',
  type: 'object',
  required: ['lifecycle', 'initial', 'cancel'],
  additionalProperties: false,
  properties: {
    $schema: { type: 'string', description: 'The JSON schema of this file, for editors.' },
    lifecycle: {
      description: 'Each status, with the statuses that it leads to; none for a terminal one.',
      type: 'object',
      minProperties: 1,
      maxProperties: ORDER_STATUSES_MAX,
      propertyNames: { $ref: '#/$defs/status' },
      additionalProperties: { type: 'array', uniqueItems: true, items: { $ref: '#/$defs/status' } },
      examples: [
        {
          received: ['baking', 'cancelled'],
          baking: ['ready', 'cancelled'],
          ready: ['collected'],
          collected: [],
          cancelled: [],
        },
      ],
    },
    initial: { $ref: '#/$defs/status', description: 'The status of a new order.' },
    cancel: { $ref: '#/$defs/status', description: 'The status of a cancelled order.' },
    requires: {
      description: 'The statuses that an order must have entered before it enters each of these.',
      type: 'object',
      propertyNames: { $ref: '#/$defs/status' },
      additionalProperties: { type: 'array', items: { $ref: '#/$defs/status' } },
      examples: [{ collected: ['ready'] }],
    },
    custom: { $ref: DIALECT, description: 'The JSON schema of the custom data of an order.' },
    custom_required: { type: 'boolean', description: 'Whether every new order has custom data. Default: false.' },
  },
  $defs: {
    status: {
      type: 'string',
      pattern: '^[a-z][a-z0-9_]{0,29}$',
      not: { enum: RESERVED_STATUSES },
    },
  },
};
