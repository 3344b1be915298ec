import type { ChangeOptions } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import { UNKNOWN_ID } from '../a-domain.ts';
import { aSubject, type Commands, KINDS, type Outcome, PLANS, type Subject } from './written-kinds.ts';

/*
 * A write has the result that it would have before or after another one, whichever of its calls the other one precedes.
 */

const CASES = KINDS.flatMap((kind) => PLANS.map((plan) => ({ kind, ...plan })));

type Command = (commands: Commands, id: string, options: ChangeOptions) => Outcome;

const create: Command = (commands, _, { idempotencyKey }) => commands.create('new', { idempotencyKey });
const change: Command = (commands, id, options) => commands.change(id, 'a', options);
const changeOther: Command = (commands, id, options) => commands.change(id, 'other', options);
const changeNothing: Command = (commands, id, options) => commands.change(id, null, options);
const remove: Command = (commands, id, options) => commands.remove(id, options);

const COMMANDS: readonly (readonly [string, Command, ChangeOptions])[] = [
  ['create', create, {}],
  ['change', change, {}],
  ['change nothing', changeNothing, {}],
  ['delete', remove, {}],
  ['change version 1', change, { ifVersion: [1] }],
  ['change version 2', change, { ifVersion: [2] }],
  ['delete version 1', remove, { ifVersion: [1] }],
  ['change an unknown id', (commands, _, options) => commands.change(UNKNOWN_ID, 'a', options), {}],
  ['delete an unknown id', (commands, _, options) => commands.remove(UNKNOWN_ID, options), {}],
];

const KEYS = [{}, { idempotencyKey: 'key-1' }];

type Write = (subject: Subject) => Outcome;

/** Returns the writes that may come between the calls of a command, also with its key. */
function othersOf(command: Command, options: ChangeOptions): readonly Write[] {
  const others = [changeOther, remove, changeNothing, create].map(by({}));
  if (options.idempotencyKey === undefined) return others;
  const { idempotencyKey } = options;
  const same: Write = ({ id, elsewhere }) => command(elsewhere, id, options);
  return [
    ...others,
    ...[changeOther, remove, changeNothing, create].map(by({ idempotencyKey })),
    same,
    (subject) => same(subject).andThen(() => changeOther(subject.elsewhere, subject.id, {})),
    (subject) => same(subject).andThen(() => remove(subject.elsewhere, subject.id, {})),
  ];
}

function by(options: ChangeOptions): (command: Command) => Write {
  return (command) => (subject) => command(subject.elsewhere, subject.id, options);
}

/** The results of a write and of a retry, and what is stored then. Ids are numbers in the order in which they appear. */
interface Run {
  readonly written: string;
  readonly again: string;
  readonly stored: readonly string[];
}

const UUID = /[0-9a-f]{8}-[0-9a-f-]{27}/g;

describe.each(CASES)('the writes of one $kind, looked up first: $lookUpFirst, locked first: $lockFirst', (test) => {
  /** Lets `writes` return the result of `write`, on a new store, and runs it again. */
  async function run(write: Write, writes: (subject: Subject) => Promise<unknown>): Promise<Run> {
    const subject = await aSubject(test.kind, test);
    const ids = [subject.id];
    const toText = (result: unknown) =>
      JSON.stringify(result).replaceAll(UUID, (id) => {
        if (!ids.includes(id)) ids.push(id);
        return String(ids.indexOf(id));
      });
    const written = toText(await writes(subject));
    return { written, again: toText(await write(subject)), stored: await subject.stored() };
  }

  /** Returns the calls of a write. */
  async function callsOf(write: Write, interfere?: (subject: Subject) => void): Promise<readonly string[]> {
    const subject = await aSubject(test.kind, test);
    interfere?.(subject);
    await write(subject);
    return subject.takeCalls();
  }

  it.each(COMMANDS)('%s as if no other write came between their calls', async (_, command, precondition) => {
    for (const options of KEYS.map((key) => ({ ...precondition, ...key }))) {
      const write: Write = (subject) => command(subject, subject.id, options);
      const calls = await callsOf(write);
      for (const [index, other] of othersOf(command, options).entries()) {
        const serial = [
          await run(write, async (subject) => [await other(subject), await write(subject)][1]),
          await run(write, async (subject) => [await write(subject), await other(subject)][0]),
        ];
        for (const call of calls.keys()) {
          const between = await run(write, async (subject) => {
            subject.before(call, () => other(subject));
            return await write(subject);
          });
          expect(serial, `${JSON.stringify(options)}, write ${index} before call ${call}`).toContainEqual(between);
        }
      }
    }
  });

  it.each(COMMANDS)('%s as if no other write followed one that overtook it', async (_, command, precondition) => {
    for (const options of KEYS.map((key) => ({ ...precondition, ...key }))) {
      const write: Write = (subject) => command(subject, subject.id, options);
      const overtake: Write = ({ id, elsewhere }) => changeOther(elsewhere, id, {});
      const beOvertaken = (subject: Subject) => subject.before('commit', () => overtake(subject));
      const calls = await callsOf(write, beOvertaken);
      const overtaken = calls.findIndex((call) => call.startsWith('commit '));
      const later = [...calls.keys()].slice(overtaken + 1);
      if (overtaken === -1 || later.length === 0) continue;
      for (const [index, other] of othersOf(command, options).entries()) {
        const serial = [
          await run(write, async (subject) => [await overtake(subject), await other(subject), await write(subject)][2]),
          await run(write, async (subject) => [await overtake(subject), await write(subject), await other(subject)][1]),
        ];
        for (const call of later) {
          const between = await run(write, async (subject) => {
            beOvertaken(subject);
            subject.before(call, () => other(subject));
            return await write(subject);
          });
          expect(serial, `${JSON.stringify(options)}, write ${index} before call ${call}`).toContainEqual(between);
        }
      }
    }
  });
});
