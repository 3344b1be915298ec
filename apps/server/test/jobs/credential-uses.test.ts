import { errAsync, okAsync } from 'neverthrow';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { usedCredentials } from '../../src/jobs/credential-uses.ts';

const NOW = '2026-01-02T03:04:05.678Z';

/** Credentials of which a lookup of `found …` finds one, and what was recorded of them. */
function credentials(isDown: () => boolean) {
  const recorded: (readonly string[])[] = [];
  const recordUses = (ids: readonly string[]) => {
    recorded.push(ids);
    return isDown() ? errAsync({ type: 'unavailable' as const, cause: new Error('down') }) : okAsync(undefined);
  };
  const grant = { owner: 'shop', scopes: [], actor: 'certificate:1' };
  const find = (keyHash: string) => {
    const [kind = '', prefix = ''] = keyHash.split(' ');
    const revoked_at = kind === 'revoked' ? NOW : null;
    return okAsync(
      kind === 'unknown' ? null : { ...grant, prefix, revoked_at, expires_at: kind === 'expired' ? NOW : null },
    );
  };
  const findCertificate = ([identity = '']: readonly string[]) =>
    okAsync(identity === 'unknown' ? null : { ...grant, identity });
  const used = usedCredentials(
    { find, recordUses },
    { find: findCertificate, recordUses },
    pino({ enabled: false }),
    () => new Date(NOW),
  );
  return { ...used, recorded };
}

it('uses of credentials are recorded together, each once, and again after a failure', async () => {
  let isDown = true;
  const { apiKeys, clientCertificates, recordUses, recorded } = credentials(() => isDown);
  for (const key of ['found 1', 'unknown', 'revoked 2', 'expired 3', 'found 4', 'found 1']) await apiKeys.find(key);
  for (const identity of ['urn:shop', 'unknown']) await clientCertificates.find([identity]);
  const ended = AbortSignal.abort();
  await recordUses.run(ended);
  // Once at the start, and once when it stops.
  expect(recorded.splice(0)).toEqual([
    ['1', '4'],
    ['1', '4'],
  ]);
  isDown = false;
  await recordUses.run(ended);
  expect(recorded.splice(0)).toEqual([['1', '4'], ['urn:shop']]);
  await recordUses.run(ended);
  expect(recorded).toEqual([]);
});

it('at most 10,000 used credentials are kept', async () => {
  const { apiKeys, recordUses, recorded } = credentials(() => false);
  for (let n = 0; n <= 10_000; n += 1) await apiKeys.find(`found ${n}`);
  await recordUses.run(AbortSignal.abort());
  expect(recorded.map(({ length }) => length)).toEqual([10_000]);
});
