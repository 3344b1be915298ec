import { ORDER_FIELDS, type OrderDefinition } from '@orders/domain';

/** One column of CSV files. */
export interface Column {
  readonly name: string;
  /** The name of the member of the order, or of the item. */
  readonly member: string;
  /** The name of the order's member whose member it is. Default: of the order, or of the item. */
  readonly within?: string;
  readonly of: 'order' | 'item';
  /** An amount is a whole number of minor units in the currency of the order. */
  readonly type: 'text' | 'integer' | 'amount' | 'json';
}

/** The column of the currency of all amounts of an order. */
export const CURRENCY = 'currency';

/** The members of an item whose names say nothing beside those of an order. */
const OF_BOTH = ['id', 'name', 'total', 'metadata'];

/** Returns the columns of orders of a definition, each row of which is an item, in their order. */
export function csvColumns({ noTimes, custom }: OrderDefinition): readonly Column[] {
  const order = (type: Column['type'], ...members: readonly string[]) =>
    members.map((member): Column => ({ name: member === 'id' ? 'order_id' : member, member, of: 'order', type }));
  const item = (type: Column['type'], ...members: readonly string[]) =>
    members.map((member): Column => ({
      name: OF_BOTH.includes(member) ? `item_${member}` : member,
      member,
      of: 'item',
      type,
    }));
  const { customer_id: _, reference: __, ...others } = ORDER_FIELDS;
  const fields = (type: 'text' | 'object') =>
    Object.entries(others).flatMap(([name, field]) => (field.type === type && !('members' in field) ? name : []));
  const parts = Object.entries(others).flatMap(([within, field]) =>
    'members' in field
      ? field.members.map((member): Column => ({
          name: `${within.replace('_address', '')}_${member}`,
          member,
          within,
          of: 'order',
          type: 'text',
        }))
      : [],
  );
  return [
    ...order('text', 'id', 'reference', 'status', 'customer_id', CURRENCY),
    ...order('amount', 'subtotal', 'total'),
    ...item('text', 'id', 'sku', 'name'),
    ...item('integer', 'quantity', 'fulfilled_quantity', 'cancelled_quantity', 'returned_quantity'),
    ...item('amount', 'unit_price', 'total'),
    ...parts,
    ...order('text', ...fields('text'), 'cancel_reason', 'created_at', 'updated_at'),
    ...order('text', ...Object.keys(noTimes), 'corrected_at', 'erased_at'),
    ...order('integer', 'version'),
    ...item('json', 'metadata'),
    ...order('json', ...fields('object'), 'adjustments', 'fulfillments', ...(custom ? ['custom'] : [])),
  ];
}
