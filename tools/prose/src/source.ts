import { type Comment, type Node, parseSync } from 'oxc-parser';
import { type Passage, passagesOfMarkdown } from './passage.ts';

const STATEMENT = /\b(?:select|insert into|delete from|update \S+ set|(?:create|alter|drop) [a-z]+)\b/i;
const CODE = /^\s*[<{]|\{[^}]*:[^}]*\}|=>|\brequire\(/;

/** The comments, texts, test titles and identifiers of a module; of an identifier, its first place. */
export function passagesOfSource(file: string, source: string): Passage[] {
  const { program, comments } = parseSync(file, source);
  const lineAt = lineCounter(source);
  const passages = comments.flatMap((comment, index) =>
    continues(source, comments[index - 1], comment) ? [] : passagesOfComments(source, comments, index, lineAt),
  );
  const names = new Set<string>();
  const visit = (node: Node): void => {
    const text = textOf(node);
    if (text !== undefined) {
      if (isProse(text)) passages.push({ kind: 'text', text: withoutQuotedCode(text), line: lineAt(node.start) });
      return;
    }
    if (node.type === 'Identifier' && !names.has(node.name)) {
      names.add(node.name);
      passages.push({ kind: 'identifier', text: node.name, line: lineAt(node.start) });
    }
    const titled = titleOf(node);
    if (titled) {
      passages.push({ kind: titled.kind, text: withoutQuotedCode(titled.text), line: lineAt(titled.title.start) });
    }
    for (const child of childrenOf(node)) if (child !== titled?.title) visit(child);
  };
  visit(program);
  return passages;
}

function childrenOf(node: Node): Node[] {
  const members: unknown[] = Object.values(node);
  return members.flat().filter(isNode);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** The value of a literal, a template or a concatenation of them; what is put into it is replaced by `x`. */
function textOf(node: Node): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.cooked ?? value.raw).join('x');
  if (node.type !== 'BinaryExpression' || node.operator !== '+') return undefined;
  const [left, right] = [textOf(node.left), textOf(node.right)];
  return left === undefined && right === undefined ? undefined : `${left ?? 'x'}${right ?? 'x'}`;
}

/** Three words make a text; what has fewer may be a name on the wire. */
function isProse(text: string): boolean {
  return /\p{L}{2,}\S*\s+\S+\s+\S/u.test(text) && !STATEMENT.test(text) && !CODE.test(text);
}

function withoutQuotedCode(text: string): string {
  return text.replaceAll(/`[^`\n]+`/g, (code) => 'x'.repeat(code.length));
}

/** The title that `it`, `it.each(…)`, `describe.skipIf(…)` and their like are called with. */
function titleOf(node: Node) {
  if (node.type !== 'CallExpression') return undefined;
  const [title] = node.arguments;
  const kind = kindOfTitle(node.callee);
  const text = title && textOf(title);
  return kind && title && text !== undefined ? { kind, title, text } : undefined;
}

function kindOfTitle(callee: Node): Passage['kind'] | undefined {
  if (callee.type === 'MemberExpression') return kindOfTitle(callee.object);
  if (callee.type === 'CallExpression') return kindOfTitle(callee.callee);
  if (callee.type !== 'Identifier') return undefined;
  if (callee.name === 'describe') return 'suite title';
  return callee.name === 'it' || callee.name === 'test' ? 'test title' : undefined;
}

/** Whether a line comment goes on with the sentence of the one above it. */
function continues(source: string, above: Comment | undefined, comment: Comment): boolean {
  if (above?.type !== 'Line' || comment.type !== 'Line') return false;
  return /^\n[ \t]*$/.test(source.slice(above.end, comment.start));
}

function passagesOfComments(
  source: string,
  comments: readonly Comment[],
  first: number,
  lineAt: (offset: number) => number,
): Passage[] {
  const lines: string[] = [];
  for (let index = first; index < comments.length; index++) {
    const comment = comments[index];
    if (!comment || (index > first && !continues(source, comments[index - 1], comment))) break;
    lines.push(...comment.value.split('\n').map((line) => line.replace(/^\s*\*? ?/, '')));
  }
  return passagesOfMarkdown(lines.join('\n'), lineAt(comments[first]?.start ?? 0));
}

function lineCounter(source: string): (offset: number) => number {
  let [line, counted] = [1, 0];
  return (offset) => {
    if (offset < counted) [line, counted] = [1, 0];
    for (let at = source.indexOf('\n', counted); at !== -1 && at < offset; at = source.indexOf('\n', at + 1)) line++;
    counted = offset;
    return line;
  };
}
