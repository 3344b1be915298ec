import { describe, expect, it } from 'vitest';
import { comparedArguments, functionBreaches } from './function-rules.ts';
import { comparedParameters, statementBreaches } from './statement-rules.ts';

describe('the check of statements', () => {
  it.each([
    ['select * from orders where id > $1 order by id limit $2', []],
    ['select count(*) from (select from feeds limit 9) as f', []],
    ['select * from orders where owner_id = any($1)', []],
    ['select * from orders where id = $1', ['orders is not bound to the owner by a parameter']],
    [
      'select * from feeds f where exists (select from orders limit 1)',
      ['feeds is not bound to the owner by a parameter'],
    ],
    [
      'delete from orders where id in (select id from orders limit 9)',
      ['orders is not bound to the owner by a parameter'],
    ],
  ])('lets operators read across owners within a limit: %s', async (text, breaches) => {
    expect(await statementBreaches(text, [], true)).toEqual(breaches);
  });

  it.each([
    ['select * from orders where id = $1', ['orders is not bound to the owner by a parameter']],
    ['select * from orders where owner_id = $1 or id = $2', ['orders is not bound to the owner by a parameter']],
    [
      'select * from orders o join changes i on i.owner_id = o.owner_id and i.aggregate_id = o.id where o.owner_id = $1',
      ['changes is not bound to the owner by a parameter'],
    ],
    [
      'select (select count(*) from changes i where i.aggregate_id = o.id) from orders o where o.owner_id = $1',
      ['changes is not bound to the owner by a parameter'],
    ],
    [
      'with gone as (delete from idempotency where key = $2 returning 1) select * from orders where owner_id = $1',
      ['idempotency is not bound to the owner by a parameter'],
    ],
    [
      'select * from orders where owner_id = $1 union all select * from orders where id = $2',
      ['orders is not bound to the owner by a parameter'],
    ],
    [
      'select * from orders where owner_id = $1 and exists (select from idempotency where owner_id = $2)',
      ['the owner comes by several parameters'],
    ],
    ['update orders set owner_id = $2 where owner_id = $1', ['the owner of a row is changed']],
    [
      'update orders o set note = c.name from customers c where o.owner_id = $1 and c.id = o.customer_id',
      ['customers is not bound to the owner by a parameter'],
    ],
    [
      'delete from changes i using orders o where i.owner_id = $1 and i.aggregate_id = o.id',
      ['orders is not bound to the owner by a parameter'],
    ],
    ['insert into idempotency (key) values ($1)', ['idempotency is filled for no owner']],
    [`insert into idempotency (owner_id, key) select 'me', $1`, ['idempotency is filled for no owner']],
    [
      'insert into idempotency (owner_id, key) select $1, $2 on conflict (owner_id, key) do update set owner_id = $3',
      ['the owner of a row is changed'],
    ],
    ['select now() from orders where owner_id = $1', ['now() is called']],
    ['update orders set updated_at = current_timestamp where owner_id = $1', ['the time is taken from the database']],
    [`notify orders, 'changed'`, ['it is a NotifyStmt']],
  ])('rejects: %s', async (text, breaches) => {
    expect(await statementBreaches(text)).toEqual(breaches);
  });

  it.each([
    ['select * from idempotency where owner_id = $1 and idempotency.key = $2::text', [0, 1]],
    ['update orders set note = $1 where owner_id = $2', [1]],
    ['select $1::text = $2', []],
  ])('finds the parameters that are compared with columns by: %s', async (text, positions) => {
    expect(await comparedParameters(text)).toEqual(positions);
  });

  it.each([
    'select * from orders where owner_id = $1 and id = $2',
    'select (select count(*) from changes i where i.owner_id = $1) from orders o where o.owner_id = $1',
    'select * from (select 1) as x left join orders o on o.owner_id = $1 and o.id = $2',
    'insert into idempotency (owner_id, key) select $1::text, $2 on conflict (owner_id, key) do nothing',
    'insert into idempotency (owner_id, key) select o.owner_id, $2 from orders o where o.owner_id = $1',
    'select * from api_keys where key_hash = $1',
  ])('accepts: %s', async (text) => {
    expect(await statementBreaches(text)).toEqual([]);
  });
});

/** Returns the definition of a function with this body, in the form of those that write. */
function functionWith(body: string, parameters = 'p_owner_id text, p_id uuid, p_key text'): string {
  return `create or replace function seeded (${parameters}) returns text language plpgsql as $$
  declare
    moved json;
  begin
    ${body}
    return 'written';
  end
$$`;
}

describe('the check of functions', () => {
  it.each([
    ['perform from orders where id = p_id;', ['orders is not bound to the owner by a parameter']],
    [
      'if exists (select from idempotency where key = p_key) then return p_key; end if;',
      ['idempotency is not bound to the owner by a parameter'],
    ],
    [
      'if p_key is null then return 1; else update changes set snapshot = null where aggregate_id = p_id; end if;',
      ['changes is not bound to the owner by a parameter'],
    ],
    ['perform from orders where owner_id = p_key;', ['the owner is not its first parameter']],
    ['insert into idempotency (key, owner_id) values (p_key, moved);', ['idempotency is filled for no owner']],
    [`p_owner_id := 'me';`, ['a variable is assigned']],
    ['execute p_key;', ['it makes the text of a statement']],
    ['perform pg_notify(p_key, p_key);', ['pg_notify() is called']],
  ])('rejects: %s', async (body, breaches) => {
    expect(await functionBreaches(functionWith(body))).toEqual(breaches);
  });

  it('rejects plans without scans that may be compiled', async () => {
    const definition = functionWith('perform from orders where owner_id = p_owner_id;');
    const withSettings = (settings: string) => definition.replace('language plpgsql', `language plpgsql ${settings}`);
    expect(withSettings('x')).not.toBe(definition);
    expect(await functionBreaches(withSettings(`set enable_sort = 'off'`))).toEqual(['its plans are compiled']);
    expect(await functionBreaches(withSettings(`set enable_sort = 'off' set jit = 'off'`))).toEqual([]);
  });

  it('rejects an owner that is not the first parameter', async () => {
    const read = 'perform from orders where owner_id = p_owner_id;';
    expect(await functionBreaches(functionWith(read))).toEqual([]);
    expect(await functionBreaches(functionWith(read, 'p_id uuid, p_owner_id text'))).toEqual([
      'the owner is not its first parameter',
    ]);
  });

  it('finds the arguments that are compared with columns', async () => {
    const body = `if p_key <> '' and exists (select from idempotency where owner_id = p_owner_id and key = p_key) then
      return p_key; end if;`;
    expect(await comparedArguments(functionWith(body))).toEqual([0, 2]);
  });
});
