import { defineOrders } from '@orders/domain';
import { customFrom } from '@orders/domain/custom';
import { z } from 'zod';
import define from './orders.definition.ts';

export const RENTAL = define({ defineOrders, customFrom, z });
