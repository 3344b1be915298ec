import { dirname, join, relative } from 'node:path/posix';
import { parseAst } from 'vitest/node';

/** What would reach past the ports: the clock, chance, the process, the network, and ways to any of them. */
const FORBIDDEN = new Set([
  'Buffer',
  'console',
  'crypto',
  'eval',
  'fetch',
  'Function',
  'global',
  'globalThis',
  'Intl',
  'navigator',
  'performance',
  'process',
  'queueMicrotask',
  'require',
  'self',
  'setImmediate',
  'setInterval',
  'setTimeout',
  'Temporal',
  'window',
]);

/** What the domain may take of an object that also tells the time or rolls dice. */
const ALLOWED_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  Date: ['parse', 'UTC'],
  Math: ['abs', 'ceil', 'floor', 'max', 'min', 'round', 'sign', 'trunc'],
};

type Node = Readonly<Record<string, unknown>>;

/** Names every breach of the domain's border in `source`, the file `path` below src. */
export function breaches(path: string, source: string): readonly string[] {
  const found: string[] = [];
  visit(parseAst(source, { lang: 'ts' }), undefined, (node, parent) => {
    const breach = importBreach(path, node) ?? nameBreach(node, parent);
    if (breach !== undefined) found.push(breach);
  });
  return found;
}

function visit(value: unknown, parent: Node | undefined, see: (node: Node, parent: Node | undefined) => void): void {
  if (Array.isArray(value)) for (const element of value) visit(element, parent, see);
  if (!isNode(value)) return;
  see(value, parent);
  for (const child of Object.values(value)) visit(child, value, see);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

/** Import and export declarations, dynamic imports and types as in `import('x').Y` have a `source`. */
function importBreach(path: string, node: Node): string | undefined {
  if (node['type'] === 'MetaProperty') return 'uses import.meta';
  if (node['type'] === 'TSExternalModuleReference') return 'imports by require';
  const { source } = node;
  if (!isNode(source)) return undefined;
  const specifier = source['value'];
  if (typeof specifier !== 'string') return 'imports what is named while it runs';
  if (specifier === 'neverthrow') return undefined;
  if (!/^\.\.?\//.test(specifier)) return `imports ${specifier}`;
  // Below the root of no real folder: the name of the folder that the tests run in must not matter.
  const target = relative('/src', join('/src', dirname(path), specifier));
  return /^(\.\.|testing)/.test(target) ? `imports ${specifier}` : undefined;
}

function nameBreach(node: Node, parent: Node | undefined): string | undefined {
  const { type, name } = node;
  if (type !== 'Identifier' || typeof name !== 'string' || isOnlyAName(node, parent)) return undefined;
  if (FORBIDDEN.has(name)) return `uses ${name}`;
  const members = Object.hasOwn(ALLOWED_MEMBERS, name) ? ALLOWED_MEMBERS[name] : undefined;
  if (!members || (name === 'Date' && (isType(parent) || isGivenTime(node, parent)))) return undefined;
  const member = parent?.['object'] === node && parent['computed'] === false ? parent['property'] : undefined;
  const used = isNode(member) ? String(member['name']) : undefined;
  if (used === undefined) return `uses ${name}`;
  return members.includes(used) ? undefined : `uses ${name}.${used}`;
}

/** The name of a member or a field, as in `order.process` and `{ process: 1 }`, is no use of what is called that. */
function isOnlyAName(node: Node, parent: Node | undefined): boolean {
  if (!parent || parent['computed'] === true) return false;
  return parent['property'] === node || parent['key'] === node;
}

function isType(parent: Node | undefined): boolean {
  return parent?.['type'] === 'TSTypeReference';
}

/** `new Date(something)` takes its time from there; `new Date()` and `Date()` take the time that it is. */
function isGivenTime(node: Node, parent: Node | undefined): boolean {
  if (parent?.['type'] !== 'NewExpression' || parent['callee'] !== node) return false;
  const given: readonly unknown[] = Array.isArray(parent['arguments']) ? parent['arguments'] : [];
  return isNode(given[0]) && given[0]['type'] !== 'SpreadElement';
}
