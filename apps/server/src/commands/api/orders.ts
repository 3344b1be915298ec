import type { Definition, Money, NewOrder, Order } from '@orders/client';
import { Option } from 'commander';
import type { Arguments } from '../command.ts';
import { OperatorError } from '../../operator-error.ts';
import { type Column, JSON_OUTPUT, printList } from '../list-output.ts';
import { ORDER_FILTERS, orderQuery } from '../order-filters.ts';
import { print } from '../print.ts';
import { apiCommand } from './api-command.ts';
import { valueOf } from './error-lines.ts';
import { firstOf, LIMIT, readLimit } from './limit.ts';

const columnsWith = (moneyOf: (money: Money) => string): readonly Column<Order<Definition>>[] => [
  { header: 'ID', cell: ({ id }) => id },
  { header: 'STATUS', cell: ({ status }) => status },
  { header: 'TOTAL', cell: ({ total }) => moneyOf(total) },
  { header: 'REFERENCE', cell: ({ reference }) => reference ?? '-' },
  { header: 'CREATED', cell: ({ created_at }) => created_at },
];

const KEY = new Option('--key <key>', 'the idempotency key, with which it may be repeated');

export const listOrders = apiCommand({
  usage: 'list',
  about: 'lists orders, newest first; --from and --before are times of creation',
  options: [...ORDER_FILTERS, LIMIT, JSON_OUTPUT],
  examples: [
    'list',
    'list --status pending,paid --limit 100 --json',
    'list --from 2026-01-31T00:00:00+01:00 --before 2026-02-01T00:00:00+01:00',
    'list --reference-prefix PO-2026',
  ],
  prepare: (args) => {
    const limit = readLimit(args);
    const query = { ...orderQuery(args, true), limit: Math.min(limit, 100) };
    return async (orders, signal) => {
      const found = await firstOf(orders.list({ ...query, signal }), limit);
      const { moneyOf } = await import('./printed.ts');
      await printList(found, columnsWith(moneyOf), args);
    };
  },
});

export const getOrder = apiCommand({
  usage: 'get <id>',
  about: 'prints an order',
  options: [JSON_OUTPUT],
  examples: ['get 019b2a4e-8f00-7000-8000-000000000001'],
  prepare:
    ({ positionals: [id = ''], flags }) =>
    async (orders, signal) => {
      await printOrder(valueOf(await orders.get(id, { signal })), flags);
    },
});

export const placeOrder = apiCommand({
  usage: 'place <file>',
  about: 'places the order in a JSON file, or on standard input for -, and prints it',
  options: [KEY, JSON_OUTPUT],
  examples: ['place order.json', 'place - --key cart-42 < order.json'],
  prepare:
    ({ positionals: [file = ''], values: { key: idempotencyKey }, flags }) =>
    async (orders, signal) => {
      const { order } = valueOf(await orders.place(await readOrder(file), { idempotencyKey, signal }));
      await printOrder(order, flags);
    },
});

export const cancelOrder = apiCommand({
  usage: 'cancel <id>',
  about: 'cancels an order and prints it',
  options: [new Option('--reason <text>', 'why it is cancelled'), KEY, JSON_OUTPUT],
  examples: ['cancel 019b2a4e-8f00-7000-8000-000000000001 --reason unpaid'],
  prepare:
    ({ positionals: [id = ''], values: { key: idempotencyKey, reason }, flags }) =>
    async (orders, signal) => {
      const { order } = valueOf(await orders.cancel(id, { reason }, { idempotencyKey, signal }));
      await printOrder(order, flags);
    },
});

async function printOrder(order: Order<Definition>, flags: Arguments['flags']): Promise<void> {
  const { describeOrder } = await import('./printed.ts');
  await print(flags.has('json') ? `${JSON.stringify(order, null, 2)}\n` : describeOrder(order));
}

/** Maximum size of a file with an order, in bytes: more than the largest one that the API takes. */
const FILE_BYTES_MAX = 8 * 1024 * 1024;

async function readOrder(file: string): Promise<NewOrder<Definition>> {
  const [{ readTextFile }, { parseStrictJson }] = await Promise.all([
    import('../../files/read-text-file.ts'),
    import('../../files/strict-json.ts'),
  ]);
  const input = (await readTextFile(file, FILE_BYTES_MAX)).andThen((text) => parseStrictJson(Buffer.from(text)));
  if (input.isErr()) throw new OperatorError([`FILE: ${input.error}`]);
  if (isOrder(input.value)) return input.value;
  throw new OperatorError(['FILE: must contain a JSON object']);
}

/** Accepts any JSON object, because the server validates the rest. */
function isOrder(input: unknown): input is NewOrder<Definition> {
  return typeof input === 'object' && input !== null;
}
