// Every field has a `!`, because TypeORM sets it without the compiler's knowledge.
import { Column, Entity, JoinColumn, ManyToOne, OneToMany, PrimaryColumn } from 'typeorm';

const amount = { type: 'bigint', transformer: { from: Number, to: (value: number) => value } } as const;
const time = { type: 'timestamptz', precision: 3 } as const;
const maybeTime = { ...time, nullable: true } as const;

@Entity('orders')
export class Order {
  @PrimaryColumn('text') owner_id!: string;
  @PrimaryColumn('uuid') id!: string;
  @Column('text') status!: string;
  @Column('uuid', { nullable: true }) customer_id!: string | null;
  @Column('text', { nullable: true }) reference!: string | null;
  @Column('text') currency!: string;
  @Column(amount) total_amount!: number;
  @Column('int') item_count!: number;
  @Column('text', { nullable: true }) note!: string | null;
  @Column('json') metadata!: object;
  @Column('text', { nullable: true }) cancel_reason!: string | null;
  @Column('int') version!: number;
  @Column(time) created_at!: Date;
  @Column(time) updated_at!: Date;
  @Column(maybeTime) paid_at!: Date | null;
  @Column(maybeTime) shipped_at!: Date | null;
  @Column(maybeTime) delivered_at!: Date | null;
  @Column(maybeTime) cancelled_at!: Date | null;
  @OneToMany(() => OrderItem, (item) => item.order) items!: OrderItem[];
}

@Entity('order_items')
export class OrderItem {
  @PrimaryColumn('text') owner_id!: string;
  @PrimaryColumn('uuid') order_id!: string;
  @PrimaryColumn('int') line!: number;
  @Column('uuid') id!: string;
  @Column('text') sku!: string;
  @Column('text') name!: string;
  @Column('int') quantity!: number;
  @Column(amount) unit_amount!: number;
  @Column(amount) total_amount!: number;

  @ManyToOne(() => Order, (order) => order.items)
  @JoinColumn([
    { name: 'owner_id', referencedColumnName: 'owner_id' },
    { name: 'order_id', referencedColumnName: 'id' },
  ])
  order!: object;
}

@Entity('idempotency_records')
export class IdempotencyRecord {
  @PrimaryColumn('text') owner_id!: string;
  @PrimaryColumn('text') key!: string;
  @Column('text') fingerprint!: string;
  @Column('uuid') aggregate_id!: string;
  @Column('json') snapshot!: object;
  @Column(time) created_at!: Date;
  @Column(time) expires_at!: Date;
}

@Entity('outbox')
export class Outbox {
  @PrimaryColumn('text') owner_id!: string;
  @PrimaryColumn('uuid') id!: string;
  @Column('text') type!: string;
  @Column('uuid') aggregate_id!: string;
  @Column('int') version!: number;
  @Column('json') changed!: object;
  @Column(time) occurred_at!: Date;
}

@Entity('api_keys')
export class ApiKey {
  @PrimaryColumn('text') key_hash!: string;
  @Column('text') owner_id!: string;
  @Column(maybeTime) expires_at!: Date | null;
  @Column(maybeTime) revoked_at!: Date | null;
}
