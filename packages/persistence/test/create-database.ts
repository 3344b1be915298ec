import { execute } from './execute.ts';

/**
 * Creates a database whose sessions have an empty search path by default, and returns its URL. A statement that does not
 * name the schema of a table or function fails in it.
 */
export async function createDatabase(adminUrl: string, name: string, template?: string): Promise<string> {
  await execute(adminUrl, `create database ${name}${template === undefined ? '' : ` template ${template}`}`);
  await execute(adminUrl, `alter database ${name} set search_path = ''`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}
