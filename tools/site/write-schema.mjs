// Writes docs/reference/schema.md from the migrations, whose comments say what a table, a column or an index is for. What
// the API has, too, is described as there. Fails when a migration has a statement that is not on the page.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deepStrictEqual, ok } from 'node:assert/strict';
import { COLUMNS } from '../../packages/persistence/src/tables/personal-data.ts';
import { root } from './doors.mjs';

const migrations = join(root, 'packages/persistence/migrations');
const sql = readdirSync(migrations)
  .toSorted()
  .map((file) => readFileSync(join(migrations, file), 'utf8'))
  .join('\n');
const { schemas } = JSON.parse(readFileSync(join(root, 'packages/http-adapter/openapi.json'), 'utf8')).components;
/** What an earlier column of the same name is for. */
const meanings = {};

const tables = [...sql.matchAll(/((?:^--.*\n)*)^create table our\.(\w+) \(\n([^]*?)^\);/gm)];
const indexes = [...sql.matchAll(/((?:^--.*\n)*)^create (unique )?index (\w+) on our\.(\w+)\s([^;]+);/gm)];
const others = sql.match(/^(?!create table|create (?:unique )?index)\w[^;]*;/gm);
const isLeftOut = /^alter table \S+(?:\s+alter \w+ set statistics 0,?)+;$/;
deepStrictEqual(
  others.filter((statement) => !isLeftOut.test(statement)),
  [],
  'unknown to the page of the schema',
);

const sections = tables.map(([, about, table, body]) => {
  ok(about, `no comment says what ${table} is for`);
  const lines = [...body.matchAll(/((?:^ {2}--.*\n)*)^ {2}(constraint )?(\w+) (.+?),?$/gm)];
  const columns = lines.filter(([, , constraint]) => !constraint);
  const constraints = lines.filter(([, , constraint]) => constraint);
  let use = '';
  const keys = [
    ...constraints.map(([, note, , name, rule]) => [name, textOf(note), rule.replace('our.', '')]),
    // A comment holds for the indexes below it.
    ...indexes
      .filter(([, , , , of]) => of === table)
      .map(([, note, unique = '', name, , rule]) => [name, (use = textOf(note) || use), unique + rule]),
  ];
  return [
    `## ${table}`,
    textOf(about),
    tableOf(
      'column | meaning | type',
      columns.map(([, note, , name, type]) => columnOf(table, name, type, textOf(note))),
    ),
    tableOf('key or index | for | of', keys),
  ];
});
const head = `# The schema of the database

The tables are in the PostgreSQL schema \`orders\`, or the one in \`DATABASE_SCHEMA\`. Read them as you like, and write
through the domain alone: it keeps the rules, the versions and the events. A column is \`not null\` unless its type
says \`null\`; the erasure of a customer removes what is *personal*. Generated from the migrations.`;
writeFileSync(join(root, 'docs/reference/schema.md'), `${[head, ...sections.flat()].join('\n\n')}\n`);

function columnOf(table, name, type, note) {
  meanings[name] ??= note;
  const resource = table.replace(/s$/, '').replaceAll(/(?:^|_)(.)/g, (_, first) => first.toUpperCase());
  const { $ref = '', description } = schemas[resource]?.properties[name] ?? {};
  const inherited = [description, schemas[$ref.split('/').at(-1)]?.description, meanings[name]].find(Boolean) ?? '';
  // The type says what a time is.
  const meaning = (note || (name.endsWith('_at') ? '' : inherited)).replace(/([^.])$/, '$1.');
  const isPersonal = ![undefined, 'kept'].includes(COLUMNS[table]?.[name]);
  return [name, `${meaning}${isPersonal ? ' *Personal.*' : ''}`, type.replaceAll(/ not null| collate "C"/g, '')];
}

function textOf(comment) {
  return comment
    .replaceAll(/^\s*-- /gm, '')
    .trim()
    .replaceAll('\n', ' ');
}

function tableOf(heads, rows) {
  const lines = rows.map(([name, meaning, of]) => `| \`${name}\` | ${meaning} | \`${of.replaceAll(/\s+/g, ' ')}\` |`);
  return [`| ${heads} |`, '| --- | --- | --- |', ...lines].join('\n');
}
