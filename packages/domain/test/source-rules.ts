import { dirname, join, relative } from 'node:path/posix';
import { parseAst } from 'vitest/node';

/** Globals that bypass the ports: time, randomness, the process, the network, and access to any of them. */
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

/** The pure members of globals whose other members read the time or are random. */
const ALLOWED_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  Date: ['parse', 'UTC'],
  Math: ['abs', 'ceil', 'floor', 'max', 'min', 'round', 'sign', 'trunc'],
};

type Node = Readonly<Record<string, unknown>>;

/** Returns every use of something outside the domain in `source`, the content of the file `path` below src. */
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
  if (typeof specifier !== 'string') return 'imports a computed specifier';
  if (specifier === 'neverthrow') return undefined;
  if (!/^\.\.?\//.test(specifier)) return `imports ${specifier}`;
  // Resolved against a virtual root, so that the name of the repository folder does not matter.
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

/** Checks whether a name is only that of a member, as in `order.process` and `{ process: 1 }`. */
function isOnlyAName(node: Node, parent: Node | undefined): boolean {
  if (!parent || parent['computed'] === true) return false;
  return parent['property'] === node || parent['key'] === node;
}

function isType(parent: Node | undefined): boolean {
  return parent?.['type'] === 'TSTypeReference';
}

/** Checks for `new Date(time)`, which unlike `new Date()` and `Date()` does not read the current time. */
function isGivenTime(node: Node, parent: Node | undefined): boolean {
  if (parent?.['type'] !== 'NewExpression' || parent['callee'] !== node) return false;
  const given: readonly unknown[] = Array.isArray(parent['arguments']) ? parent['arguments'] : [];
  return isNode(given[0]) && given[0]['type'] !== 'SpreadElement';
}
