// Checks the prose of the files that are given, or of all files of the project: words, length of sentences, test titles.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { styleText } from 'node:util';
import { check } from './check.ts';
import config from '../config.json' with { type: 'json' };
import { passagesOf } from './passages.ts';

const root = join(import.meta.dirname, '../../..');
const isIn = (file: string) => (folder: string) => file === folder || file.startsWith(`${folder}/`);

let count = 0;
for (const file of process.argv.length > 2 ? process.argv.slice(2) : filesOfProject()) {
  const content = readFileSync(join(root, file), 'utf8');
  for (const passage of passagesOf(file, content)) {
    for (const { line, message } of check(passage, config.longSentences)) {
      console.error(`${styleText('cyan', `${file}:${line}`, { stream: process.stderr })} ${message}`);
      count++;
    }
  }
}
if (count > 0) {
  console.error(
    `${count} findings. CONTRIBUTING.md says what the project writes instead, and where exceptions are listed.`,
  );
  process.exitCode = 1;
}

function filesOfProject(): string[] {
  const list = execFileSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', ...config.files],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  return list
    .trim()
    .split('\n')
    .filter((file) => !config.ignored.some(isIn(file)));
}
