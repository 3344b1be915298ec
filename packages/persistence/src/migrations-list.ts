import { readdirSync, readFileSync } from 'node:fs';
import { Migration } from '@mikro-orm/migrations';

const folder = new URL('../migrations/', import.meta.url);

/** The SQL files of `migrations/`, in the order of their names. */
const migrationsList = readdirSync(folder)
  .filter((file) => file.endsWith('.sql'))
  .toSorted()
  .map((file) => ({ name: file.replace(/\.sql$/, ''), class: sqlMigration(new URL(file, folder)) }));

function sqlMigration(file: URL): new (...args: ConstructorParameters<typeof Migration>) => Migration {
  return class extends Migration {
    override up(): void {
      this.addSql(readFileSync(file, 'utf8'));
    }
  };
}

/** The only source of the schema: the SQL files, never a difference computed from the entities. */
export const migrationsOptions = { migrationsList, snapshot: false, tableName: 'schema_migrations', silent: true };
