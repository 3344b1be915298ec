import type { Connections } from '../postgres/connections.ts';
import { errorCode } from '../postgres/error-code.ts';
import type { LoadedOrm } from './mikro-orm.ts';

/**
 * MikroORM with the entities of the orders schema, which is loaded when it is needed first: that takes longer than to load
 * all else.
 *
 * @internal
 */
export interface Orm {
  /** The PostgreSQL schema of the entities. */
  readonly schema: string;
  /** @throws {TypeError} MikroORM is not installed */
  load(): Promise<LoadedOrm>;
  close(): Promise<void>;
}

/** Returns MikroORM over these connections. */
export function lazyOrm(connections: Connections, schema: string, logger: (message: string) => void): Orm {
  let loading: Promise<LoadedOrm> | undefined;
  const load = async (): Promise<LoadedOrm> => {
    try {
      const [{ createMikroOrm }, { ormDialect }] = await Promise.all([
        import('./mikro-orm.ts'),
        import('./orm-dialect.ts'),
      ]);
      return createMikroOrm({ driverOptions: () => ormDialect(connections), logger, schema });
    } catch (cause) {
      if (errorCode(cause) !== 'ERR_MODULE_NOT_FOUND') throw cause;
      throw new TypeError(NOT_INSTALLED, { cause });
    }
  };
  return {
    schema,
    load: () => (loading ??= load()),
    close: async () => {
      await (await loading?.catch(() => undefined))?.mikroOrm.close();
    },
  };
}

const NOT_INSTALLED =
  'API keys, client certificates, webhook deliveries and the option orm need MikroORM: npm install @mikro-orm/core @mikro-orm/postgresql, and with pnpm also the kysely that it depends on';
