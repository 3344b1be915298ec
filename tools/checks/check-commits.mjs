// Fails with the commits whose message is not as CONTRIBUTING.md says: an imperative subject, and a body with the reason.
import { execFileSync } from 'node:child_process';

// Messages are checked from the commit after this one on.
const BASE = '22c88c4';
const SUBJECT_MAX = 72;
// Verbs that only look like another form than the imperative.
const IMPERATIVES = /^(?:bring|embed|exceed|feed|focus|need|ping|proceed|seed|shed|speed|string)$/i;
const INFLECTED = /(?:ed|ing|[^s]s)$/i;

const git = (...args) => execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
const has = (...args) => {
  try {
    git(...args);
    return true;
  } catch {
    return false;
  }
};

const range = commitsToCheck();
if (range === undefined) {
  console.log(`The history has no commit ${BASE}, so its messages are not checked.`);
} else {
  const log = git('log', '--no-merges', '--format=%h%x00%s%x00%b%x1e', ...range);
  const commits = log.split('\x1e').filter((entry) => entry.trim() !== '');
  const faulty = commits.flatMap((entry) => faultsOf(...entry.trim().split('\0')));
  if (faulty.length > 0) {
    console.error(faulty.join('\n'));
    process.exitCode = 1;
  } else {
    console.log(`${commits.length} commit messages checked.`);
  }
}

function commitsToCheck() {
  if (has('merge-base', '--is-ancestor', BASE, 'HEAD')) return [`${BASE}..HEAD`];
  // All that a shallow clone has is newer than a base that it lacks.
  return git('rev-parse', '--is-shallow-repository') === 'true' ? ['HEAD'] : undefined;
}

function faultsOf(hash, subject, body) {
  const [first = ''] = subject.split(/[^\p{L}-]/u);
  const faults = [
    [subject.length > SUBJECT_MAX, `has ${subject.length} characters, at most ${SUBJECT_MAX} are allowed`],
    [!/^\p{Lu}/u.test(subject), 'must begin with a capital letter'],
    [subject.endsWith('.'), 'must not end with a full stop'],
    [INFLECTED.test(first) && !IMPERATIVES.test(first), `must begin with a verb in the imperative, not "${first}"`],
    [!body?.trim(), 'must be followed by a blank line and a body with the reason'],
  ];
  return faults.flatMap(([is, text]) => (is ? [`${hash} "${subject}": the subject ${text}.`] : []));
}
