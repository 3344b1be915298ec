import { createHash, randomUUIDv7 } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import { environment } from '../shared/environment.ts';
import { changedByCancelling, expiry, fingerprint, presented, priced, TRANSITIONS } from '../shared/order.ts';
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

/** Returns the newest orders, up to `limit + 1`, so that the caller sees whether more exist. */
export async function listOrders(owner_id, limit) {
  const orders = await prisma.order.findMany({
    where: { owner_id },
    orderBy: [{ created_at: 'desc' }, { id: 'desc' }],
    take: limit + 1,
    include: ITEMS,
  });
  return orders.map(present);
}

export async function createOrder(owner_id, body, key) {
  const print = fingerprint('place_order', body);
  return await keyed(owner_id, key, print, () => {
    const now = new Date();
    const { order, items } = priced(body, now);
    const lines = items.map((item) => ({ ...item, owner_id, order_id: order.id }));
    const event = { type: 'order.placed', aggregate_id: order.id, version: 1, changed: [], occurred_at: now };
    return {
      order: presented(order, items),
      writes: [
        prisma.order.create({ data: { ...order, owner_id }, select: { id: true } }),
        prisma.orderItem.createMany({ data: lines }),
        prisma.outbox.create({ data: { owner_id, id: randomUUIDv7(), ...event }, select: { id: true } }),
      ],
    };
  });
}

export async function cancelOrder(owner_id, id, reason, key) {
  const print = fingerprint('change_order', id, reason);
  return await keyed(owner_id, key, print, async () => {
    const before = await prisma.order.findUnique({ where: { owner_id_id: { owner_id, id } }, include: ITEMS });
    if (before === null) throw new Rejection('order_not_found');
    if (!TRANSITIONS[before.status].includes('cancelled')) throw new Rejection('order_already_cancelled');
    const at = new Date(Math.max(Date.now(), before.updated_at.getTime()));
    const version = before.version + 1;
    const data = { status: 'cancelled', cancel_reason: reason, version, updated_at: at, cancelled_at: at };
    const event = { type: 'order.cancelled', aggregate_id: id, version, changed: changedByCancelling(reason) };
    return {
      order: present({ ...before, ...data }),
      writes: [
        prisma.order.update({
          where: { owner_id_id: { owner_id, id }, version: before.version },
          data,
          select: { id: true },
        }),
        prisma.outbox.create({
          data: { owner_id, id: randomUUIDv7(), ...event, occurred_at: at },
          select: { id: true },
        }),
      ],
    };
  });
}

/** Runs the writes of `decide` and stores the idempotency record in one transaction. Retries after a conflict. */
async function keyed(owner_id, key, print, decide) {
  for (let attempt = 1; ; attempt += 1) {
    const earlier = await findRecorded(owner_id, key, print);
    if (earlier) return earlier;
    const { order, writes } = await decide();
    try {
      await prisma.$transaction([...record(owner_id, key, print, order), ...writes]);
      return { order, replayed: false };
    } catch (cause) {
      const conflict = cause instanceof Prisma.PrismaClientKnownRequestError && CONFLICTS.has(cause.code);
      if (!conflict || attempt === 3) throw cause;
    }
  }
}

/** Returns the recorded response of the key. `undefined` for an unused key. */
async function findRecorded(owner_id, key, print) {
  if (key === undefined) return undefined;
  const record = await prisma.idempotencyRecord.findUnique({
    where: { owner_id_key: { owner_id, key }, expires_at: { gt: new Date() } },
    select: { fingerprint: true, snapshot: true },
  });
  if (record === null) return undefined;
  if (record.fingerprint !== print) throw new Rejection('idempotency_key_reused');
  return { order: record.snapshot, replayed: true };
}

function record(owner_id, key, print, order) {
  if (key === undefined) return [];
  const now = new Date();
  const times = { created_at: now, expires_at: expiry(now) };
  // JSON has no dates, so this is the snapshot as it will be read.
  const snapshot = JSON.parse(JSON.stringify(order));
  const data = { owner_id, key, fingerprint: print, aggregate_id: order.id, snapshot, ...times };
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
