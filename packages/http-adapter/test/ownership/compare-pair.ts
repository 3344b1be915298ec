import { differences } from './differences.ts';
import type { ProbeRequest } from './exchange.ts';
import type { Party } from './party.ts';
import type { Scene } from './scene.ts';
import { leakedSecrets } from './secrets.ts';

/** A request, and the value in which it differs from its counterpart. */
interface SentRequest {
  readonly sent: string;
  readonly request: ProbeRequest;
}

/** Reports differences between the response to a value of the victim and that to a nonexistent value. */
export async function comparePair(
  { victim, findings }: Scene,
  party: Party,
  subject: string,
  example: string,
  ...requests: readonly [theirs: SentRequest, nonexistent: SentRequest]
): Promise<void> {
  const sendBoth = async ({ sent, request }: SentRequest) => ({ sent, request, response: await party.send(request) });
  const [theirs, nonexistent] = await Promise.all([sendBoth(requests[0]), sendBoth(requests[1])]);
  for (const difference of differences(theirs, nonexistent)) findings.add(subject, difference, example);
  for (const { request, response } of [theirs, nonexistent]) {
    for (const secret of leakedSecrets(victim.party, request, response))
      findings.add(subject, `tells ${secret}`, example);
  }
}
