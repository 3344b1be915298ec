// Writes a page for each resource of the API into docs/reference/api, from the OpenAPI document: what an operation takes, and a
// request beside its response.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sample } from 'openapi-sampler';
import { root } from './doors.mjs';
import { headingId } from './heading-id.mjs';

const folder = join(root, 'docs/reference/api');
const document = JSON.parse(readFileSync(join(root, 'packages/http-adapter/openapi.json'), 'utf8'));
const operations = Object.entries(document.paths).flatMap(([path, { parameters: common = [], ...methods }]) =>
  Object.entries(methods).map(([method, { parameters = [], ...operation }]) => {
    return { method: method.toUpperCase(), path: `/v1${path}`, parameters: [...common, ...parameters], ...operation };
  }),
);

mkdirSync(folder, { recursive: true });
for (const { name, description } of document.tags) {
  const own = operations.filter(({ tags }) => tags?.includes(name));
  const sections = [listOf(own), objectOf(own), ...own.map(sectionOf)];
  const page = [`# API: ${name.toLowerCase()}`, `${description}. Generated from the OpenAPI document.`, ...sections];
  writeFileSync(join(folder, `${name.toLowerCase()}.md`), `${page.join('\n\n')}\n`);
}

function listOf(own) {
  const lines = own.map(
    ({ method, path, summary }) => `| [${summary}](#${headingId(summary)}) | \`${method} ${path}\` |`,
  );
  return ['| operation | request |', '| --- | --- |', ...lines].join('\n');
}

/** What the operations of a page are about, which the path to a single one or a list returns, and the objects in it. */
function objectOf(own) {
  const { responses } = own.find(({ method, path }) => method === 'GET' && path.endsWith('}')) ?? own[0];
  const { schema } = contentOf(Object.values(responses)[0]);
  const { $ref } = schema.$ref?.endsWith('List') ? resolved(resolved(schema).properties.data).items : schema;
  const parts = Object.values(resolved({ $ref }).properties).map((member) => (resolved(member).items ?? member).$ref);
  const nested = new Set(
    parts.filter((part) => part && Object.keys(resolved({ $ref: part }).properties ?? {}).length > 0),
  );
  const shown = (reference) =>
    tableOf(
      'member',
      membersOf({ $ref: reference }).map(([name, , ...rest]) => [name, false, ...rest]),
    );
  return [
    `## The ${nameOf($ref)}`,
    shown($ref),
    ...[...nested].flatMap((part) => [
      `### ${nameOf(part).replace(/^./, (first) => first.toUpperCase())}`,
      shown(part),
    ]),
  ].join('\n\n');
}

function sectionOf({ method, path, summary, description, parameters, requestBody, responses, security }) {
  const [scope] = Object.values(security?.[0] ?? document.security[0]).flat();
  const [[status, success]] = Object.entries(responses).map(([code, response]) => [code, resolved(response)]);
  const body = contentOf(requestBody);
  const result = contentOf(success);
  const example = body && (Object.values(body.examples ?? {})[0]?.value ?? sample(body.schema, {}, document));
  const codes = Object.keys(responses).filter((code) => code >= '400');
  return [
    `## ${summary}`,
    `\`${method} ${path}\``,
    description ?? '',
    `Scope \`${scope}\`. Rejected with ${codes.join(', ')}: see [Errors](../errors.md).`,
    tableOf(
      'parameter',
      parameters.map(resolved).map(({ name, required, schema, description: about }) => [name, required, schema, about]),
    ),
    body ? tableOf('member', membersOf(body.schema)) : '',
    `<div class="sides"><div>\n\n**Request**\n\n${fenced('http', requestOf(method, path + queryOf(parameters.map(resolved)), body, example))}\n\n</div><div>\n`,
    `**Response ${status}**\n\n${result ? fenced('json', JSON.stringify(sample(result.schema, { skipNonRequired: false }, document), null, 2)) : 'No body.'}\n\n</div></div>`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function requestOf(method, path, body, example) {
  const head = [`${method} ${path}`, 'X-API-Key: ord_…'];
  return body
    ? [...head, `Content-Type: ${body.type}`, '', JSON.stringify(example, null, 2)].join('\n')
    : head.join('\n');
}

function queryOf(parameters) {
  const needed = parameters.filter((each) => each.in === 'query' && each.required);
  return needed
    .map(({ name, schema }, at) => `${at ? '&' : '?'}${name}=${String(sample(schema, {}, document))}`)
    .join('');
}

function fenced(language, code) {
  return `\`\`\`${language}\n${code}\n\`\`\``;
}

/** Returns the first media type of a body with its schema and examples. */
function contentOf(body) {
  const [[type, content] = []] = Object.entries(resolved(body)?.content ?? {});
  return type && { type, ...content };
}

function membersOf(schema) {
  const { properties = {}, required = [] } = resolved(schema);
  return Object.entries(properties).map(([name, member]) => [
    name,
    required.includes(name),
    member,
    resolved(member).description,
  ]);
}

function tableOf(what, rows) {
  if (rows.length === 0) return '';
  const lines = rows.map(([name, required, schema, about = '']) => {
    const cells = [`\`${name}\`${required ? ', required' : ''}`, about, kindOf(schema)];
    return `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ')).join(' | ')} |`;
  });
  return [`| ${what} | meaning | type |`, '| --- | --- | --- |', ...lines].join('\n');
}

/** Returns the type of a value in words, with the bounds that are of its own. */
function kindOf(schema) {
  const { type, format, enum: values, minimum, maximum, minLength, maxLength, items } = resolved(schema);
  const name = [schema.$ref && (type ?? 'object') === 'object' ? nameOf(schema.$ref) : (type ?? 'object')].flat();
  const bounds = [
    values && values.map((value) => `\`${value}\``).join(', '),
    minLength !== maxLength &&
      !format &&
      `${minLength === undefined ? 'up to' : `${minLength} to`} ${maxLength} characters`,
    type !== 'integer' && format,
    minimum !== undefined && `from ${minimum}`,
    maximum < 2 ** 31 - 1 && `to ${maximum}`,
  ];
  return [`${name.join(' or ')}${items ? ` of ${kindOf(items)}` : ''}`, ...bounds.filter(Boolean)].join(', ');
}

/** Returns the name of a schema in words. */
function nameOf(reference) {
  const name = reference.split('/').at(-1);
  return name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}

/** Follows a reference. */
function resolved(value) {
  if (value?.$ref === undefined) return value;
  const target = value.$ref
    .slice(2)
    .split('/')
    .reduce((node, part) => node[part], document);
  return resolved({ ...target, ...(value.description && { description: value.description }) });
}
