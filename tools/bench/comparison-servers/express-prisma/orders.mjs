import { createHash } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import { environment } from '../shared/environment.ts';
import { keyed } from '../shared/keyed.ts';
import { cancellation, fingerprint, keyTimes, PAGE, presented, priced } from '../shared/order.ts';
import { Rejection } from '../shared/problem.ts';

// `prisma generate` writes this file, so a static import would not compile.
const { Prisma, PrismaClient } = await import(new URL('../dist/prisma/client.ts', import.meta.url).href);

/** The names of statements. Prisma prepares a statement once for each connection only if it has a name. */
const names = new Map();

function statementNameGenerator({ sql }) {
  const name = names.get(sql) ?? `prisma_${createHash('sha256').update(sql).digest('base64url').slice(0, 22)}`;
  names.set(sql, name);
  return name;
}

const adapter = new PrismaPg(
  { connectionString: environment.databaseUrl, max: environment.poolMax },
  { statementNameGenerator, schema: 'comparison' },
);
const prisma = new PrismaClient({ adapter });
const ITEMS = { items: { orderBy: { line: 'asc' } } };
/** The error codes of conflicts with a concurrent request: a used key, or an order of another version. */
const CONFLICTS = new Set(['P2002', 'P2025', 'P2034']);

export async function ownerOfKey(key_hash) {
  const unexpired = { OR: [{ expires_at: null }, { expires_at: { gt: new Date() } }] };
  const key = await prisma.apiKey.findFirst({
    where: { key_hash, revoked_at: null, ...unexpired },
    select: { owner_id: true },
  });
  return key?.owner_id;
}

export async function findOrder(owner_id, id) {
  const order = await prisma.order.findUnique({ where: { owner_id_id: { owner_id, id } }, include: ITEMS });
  if (order === null) throw new Rejection('order_not_found');
  return present(order);
}

/** Returns the newest orders, one more than a page has. */
export async function listOrders(owner_id) {
  const orders = await prisma.order.findMany({
    where: { owner_id },
    orderBy: [{ created_at: 'desc' }, { id: 'desc' }],
    take: PAGE + 1,
    include: ITEMS,
  });
  return orders.map(present);
}

export async function createOrder(owner_id, body, key) {
  return await write(owner_id, key, fingerprint('place_order', body), () => {
    const { order, items, event } = priced(body, new Date());
    const lines = items.map((item) => ({ ...item, owner_id, order_id: order.id }));
    return {
      order: presented(order, items),
      writes: [
        prisma.order.create({ data: { ...order, owner_id }, select: { id: true } }),
        prisma.orderItem.createMany({ data: lines }),
        prisma.outbox.create({ data: { owner_id, ...event }, select: { id: true } }),
      ],
    };
  });
}

export async function cancelOrder(owner_id, id, reason, key) {
  return await write(owner_id, key, fingerprint('change_order', id, reason), async () => {
    const before = await prisma.order.findUnique({ where: { owner_id_id: { owner_id, id } }, include: ITEMS });
    if (before === null) throw new Rejection('order_not_found');
    const at = new Date(Math.max(Date.now(), before.updated_at.getTime()));
    const { change, event } = cancellation(before, reason, at);
    const where = { owner_id_id: { owner_id, id }, version: before.version };
    return {
      order: present({ ...before, ...change }),
      writes: [
        prisma.order.update({ where, data: change, select: { id: true } }),
        prisma.outbox.create({ data: { owner_id, ...event }, select: { id: true } }),
      ],
    };
  });
}

/** Runs the writes of `decide` and stores the idempotency record in one transaction. */
async function write(owner_id, key, print, decide) {
  return await keyed(key, print, {
    find: () =>
      prisma.idempotencyRecord.findUnique({
        where: { owner_id_key: { owner_id, key }, expires_at: { gt: new Date() } },
        select: { fingerprint: true, snapshot: true },
      }),
    write: async () => {
      const { order, writes } = await decide();
      await prisma.$transaction([...record(owner_id, key, print, order), ...writes]);
      return order;
    },
    isConflict: (cause) => cause instanceof Prisma.PrismaClientKnownRequestError && CONFLICTS.has(cause.code),
  });
}

function record(owner_id, key, print, order) {
  if (key === undefined) return [];
  // JSON has no dates, so this is the snapshot as it will be read.
  const snapshot = JSON.parse(JSON.stringify(order));
  const data = { owner_id, key, fingerprint: print, aggregate_id: order.id, snapshot, ...keyTimes() };
  return [prisma.idempotencyRecord.create({ data, select: { key: true } })];
}

function present({ items, total_amount, ...order }) {
  const lines = items.map(({ unit_amount, total_amount: total, ...item }) => ({
    ...item,
    unit_amount: Number(unit_amount),
    total_amount: Number(total),
  }));
  return presented({ ...order, total_amount: Number(total_amount) }, lines);
}
