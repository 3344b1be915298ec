import { basename } from 'node:path';
import { type Passage, passagesOfMarkdown } from './passage.ts';
import { passagesOfSource } from './source.ts';

const SUMMARIES = /^\s*"(?:description|summary|title)": (".*"),?$/;

/** What a person reads in a file, the name of the file included. */
export function passagesOf(file: string, content: string): Passage[] {
  const name: Passage = { kind: 'identifier', text: basename(file), line: 1 };
  return [name, ...passagesOfContent(file, content)];
}

function passagesOfContent(file: string, content: string): Passage[] {
  if (/\.m?[jt]s$/.test(file)) return passagesOfSource(file, content);
  if (file.endsWith('.md')) return passagesOfMarkdown(content);
  if (file.endsWith('.json')) return passagesOfSummaries(content);
  const marker = file.endsWith('.sql') ? '--' : '#';
  return passagesOfLineComments(content, marker);
}

function passagesOfSummaries(json: string): Passage[] {
  return json.split('\n').flatMap((line, index) => {
    const value = SUMMARIES.exec(line)?.[1];
    return value === undefined ? [] : passagesOfMarkdown(String(JSON.parse(value)), index + 1);
  });
}

function passagesOfLineComments(content: string, marker: string): Passage[] {
  const comments = content.split('\n').map((line) => {
    const trimmed = line.trimStart();
    return trimmed.startsWith(marker) && !trimmed.startsWith('#!') ? trimmed.replace(/^[-#]+ ?/, '') : '';
  });
  return passagesOfMarkdown(comments.join('\n'));
}
