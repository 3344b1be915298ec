import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Definition, NewOrder, Order } from '@orders/client';
import { OperatorError, reasonOf } from '../../operator-error.ts';
import { type Column, printList } from '../list-output.ts';
import { print } from '../print.ts';
import { apiCommand } from './api-command.ts';
import { valueOf } from './error-lines.ts';
import { firstOf, readArguments, readLimit } from './options.ts';
import { describeOrder, moneyOf, printable } from './printed.ts';

const COLUMNS: readonly Column<Order<Definition>>[] = [
  { header: 'ID', cell: ({ id }) => id },
  { header: 'STATUS', cell: ({ status }) => status },
  { header: 'TOTAL', cell: ({ total }) => moneyOf(total) },
  { header: 'REFERENCE', cell: ({ reference }) => printable(reference ?? '-') },
  { header: 'CREATED', cell: ({ created_at }) => created_at },
];

export const listOrders = apiCommand({
  usage: 'list [--status STATUS,STATUS] [--customer ID] [--reference REFERENCE] [--limit 20] [--json]',
  about: 'lists orders, newest first',
  examples: ['list', 'list --status pending,paid --limit 100 --json'],
  prepare: (args) => {
    const names = ['status', 'customer', 'reference', 'limit'];
    const { values, flags } = readArguments(args, { names, flags: ['json'] });
    const limit = readLimit(values['limit'], 20);
    const query = {
      status: values['status']?.split(','),
      customer_id: values['customer'],
      reference: values['reference'],
      limit: Math.min(limit, 100),
    };
    return async (orders, signal) => {
      const found = await firstOf(orders.list({ ...query, signal }), limit);
      await printList(found, COLUMNS, flags.has('json') ? 'json' : 'table');
    };
  },
});

export const getOrder = apiCommand({
  usage: 'get ID [--json]',
  about: 'prints an order',
  examples: ['get 019b2a4e-8f00-7000-8000-000000000001'],
  prepare: (args) => {
    const { positionals, flags } = readArguments(args, { positionals: ['ID'], flags: ['json'] });
    return async (orders, signal) => {
      await printOrder(valueOf(await orders.get(positionals[0] ?? '', { signal })), flags);
    };
  },
});

export const placeOrder = apiCommand({
  usage: 'place FILE [--key KEY] [--json]',
  about: 'places the order in a JSON file, or on standard input for -, and prints it',
  examples: ['place order.json', 'place - --key cart-42 < order.json'],
  prepare: (args) => {
    const { values, positionals, flags } = readArguments(args, {
      positionals: ['FILE'],
      names: ['key'],
      flags: ['json'],
    });
    return async (orders, signal) => {
      const input = await readOrder(positionals[0] ?? '');
      const { order } = valueOf(await orders.place(input, { idempotencyKey: values['key'], signal }));
      await printOrder(order, flags);
    };
  },
});

export const cancelOrder = apiCommand({
  usage: 'cancel ID [--reason REASON] [--key KEY] [--json]',
  about: 'cancels an order and prints it',
  examples: ['cancel 019b2a4e-8f00-7000-8000-000000000001 --reason unpaid'],
  prepare: (args) => {
    const { values, positionals, flags } = readArguments(args, {
      positionals: ['ID'],
      names: ['reason', 'key'],
      flags: ['json'],
    });
    return async (orders, signal) => {
      const options = { idempotencyKey: values['key'], signal };
      const cancelled = await orders.cancel(positionals[0] ?? '', { reason: values['reason'] }, options);
      await printOrder(valueOf(cancelled).order, flags);
    };
  },
});

async function printOrder(order: Order<Definition>, flags: ReadonlySet<string>): Promise<void> {
  await print(flags.has('json') ? `${JSON.stringify(order, null, 2)}\n` : describeOrder(order));
}

async function readOrder(file: string): Promise<NewOrder<Definition>> {
  let input: unknown;
  try {
    input = JSON.parse(file === '-' ? await text(process.stdin) : await readFile(file, 'utf8'));
  } catch (cause) {
    throw new OperatorError([`FILE: ${reasonOf(cause)}`], { cause });
  }
  if (isOrder(input)) return input;
  throw new OperatorError(['FILE: must contain a JSON object']);
}

/** Accepts any JSON object, because the server validates the rest. */
function isOrder(input: unknown): input is NewOrder<Definition> {
  return typeof input === 'object' && input !== null;
}
