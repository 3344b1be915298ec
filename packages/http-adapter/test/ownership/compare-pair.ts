import { differences } from './differences.ts';
import type { Asked } from './exchange.ts';
import type { Party } from './party.ts';
import type { Scene } from './scene.ts';
import { told } from './secrets.ts';

/** A request and the value in it that another one has not. */
interface Asking {
  readonly sent: string;
  readonly asked: Asked;
}

/** Finds in what the answer to a request about the victim's differs from the one about nobody's. */
export async function comparePair(
  { victim, findings }: Scene,
  party: Party,
  subject: string,
  example: string,
  ...askings: readonly [theirs: Asking, nobodys: Asking]
): Promise<void> {
  const answered = async ({ sent, asked }: Asking) => ({ sent, asked, answer: await party.ask(asked) });
  const [theirs, nobodys] = await Promise.all([answered(askings[0]), answered(askings[1])]);
  for (const difference of differences(theirs, nobodys)) findings.add(subject, difference, example);
  for (const { asked, answer } of [theirs, nobodys]) {
    for (const secret of told(victim.party, asked, answer)) findings.add(subject, `tells ${secret}`, example);
  }
}
