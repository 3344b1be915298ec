import { useDefinition } from '../../api/queries.ts';
import type { LineItem, Order } from '../../api/types.ts';
import { digits, money } from '../../parts/format.ts';
import { O } from './texts.ts';

/** The lines with what became of them, and what was charged besides. */
export function Lines({ order: { items, adjustments, subtotal, total, status } }: { readonly order: Order }) {
  const isCancelled = useDefinition()?.cancel === status;
  return (
    <>
      <h2>{O.lines}</h2>
      <div className="panel">
        <table className="rows">
          <thead>
            <tr>
              <th>{O.item}</th>
              <th className="num">{O.price}</th>
              <th className="num">{O.quantity}</th>
              <th>{O.state}</th>
              <th className="num">{O.amount}</th>
            </tr>
          </thead>
          <tbody>
            {items.map((item) => (
              <tr key={item.id}>
                <td>
                  {item.name}
                  <span className="id block text-muted [overflow-wrap:anywhere]">{item.sku}</span>
                </td>
                <td className="num spare">{digits(item.unit_price)}</td>
                <td className="num">
                  {item.quantity}
                  <span className="text-muted md:hidden"> × {digits(item.unit_price)}</span>
                </td>
                <td>
                  <Parts item={item} open={isCancelled ? O.neverSent : O.notSentYet} />
                </td>
                <td className="num">{digits(item.total)}</td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            {adjustments.length > 0 && <Sum name={O.subtotal} amount={digits(subtotal)} />}
            {adjustments.map(({ id, name, type, amount, included }) => (
              <Sum
                key={id}
                name={name}
                about={included ? `${type}, ${O.included}` : type}
                amount={digits(amount)}
                isApart={included}
              />
            ))}
            <Sum name={O.total} amount={money(total)} />
          </tfoot>
        </table>
      </div>
    </>
  );
}

interface SumProps {
  readonly name: string;
  readonly about?: string;
  readonly amount: string;
  /** Whether it is no part of the total. */
  readonly isApart?: boolean;
}

function Sum({ name, about, amount, isApart = false }: SumProps) {
  return (
    <tr>
      <th scope="row" colSpan={4}>
        {name} {about !== undefined && about !== name.toLowerCase() && <span className="text-muted">{about}</span>}
      </th>
      <td className={`num ${isApart ? 'text-muted!' : ''}`}>{amount}</td>
    </tr>
  );
}

/** The quantities of a line as one bar: what stayed with the buyer, came back, was cancelled, and is open. */
function Parts({ item, open: name }: { readonly item: LineItem; readonly open: string }) {
  const { quantity, fulfilled_quantity: sent, returned_quantity: back, cancelled_quantity: gone } = item;
  const open = quantity - sent - gone;
  const words = [
    [sent, 'sent'],
    [back, 'returned'],
    [gone, 'cancelled'],
    [open, name],
  ].flatMap(([number, part]) => (number === 0 ? [] : [`${number} ${part}`]));
  const width = (number: number) => (100 * number) / quantity;
  const stayed = width(sent - back);
  return (
    <>
      <svg
        viewBox="0 0 120 6"
        preserveAspectRatio="none"
        aria-hidden="true"
        className="mt-[7px] mb-1 h-1.5 w-[120px] rounded-full bg-line"
      >
        <rect width={1.2 * stayed} height="6" className="fill-good" />
        {[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((step) => {
          const part = width(back) / 12;
          return (
            <rect key={step} x={1.2 * (stayed + step * part)} width={0.7 * part} height="6" className="fill-warn" />
          );
        })}
        <rect x={1.2 * width(sent)} width={1.2 * width(gone)} height="6" className="fill-muted" />
      </svg>
      <span className="text-sm text-muted">{words.join(', ')}</span>
    </>
  );
}
