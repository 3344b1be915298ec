import { expect, it } from 'vitest';
import { propertiesOf } from '../../src/sql/columns.ts';
import { ENTITIES } from '../../src/tables/entities.ts';
import { createMikroOrm } from '../../src/tables/mikro-orm.ts';

it.each(ENTITIES)(
  'the columns of $tableName are those of MikroORM, in statements that know nothing of it',
  (entity) => {
    const { mikroOrm, entityOf } = createMikroOrm({ schema: 'orders' });
    const { props, primaryKeys } = mikroOrm.getMetadata().get(entityOf(entity));
    const columns = props.map(({ name, columnTypes: [type] }) => ({
      name,
      type,
      isPrimary: primaryKeys.includes(name),
    }));
    expect(propertiesOf(entity)).toEqual(columns);
  },
);
