import { CLAIM_MS, type Claim, type OwnerCheckpoints, type OwnersPage } from '../events/checkpoints.ts';
import { Abort } from '../events/abort.ts';
import { FEED_START } from '../events/feed-position.ts';
import type { FeedWaitOptions } from '../events/event-feed.ts';
import type { OrderDefinition } from '../orders/order-lifecycle.ts';
import type { Owner } from '../shared/ids.ts';
import * as assert from './assertions.ts';
import {
  anOwner,
  type AnySubject,
  type Cases,
  type Open,
  type OwnerCheckpointsSubject,
  succeeds,
  type TestRunner,
} from './contract-subject.ts';
import { contractOn } from './contract-on.ts';
import { FeedBench, oldTime } from './event-feed-contract/subject.ts';
import { endsInTime } from './event-feed-contract/waits.contract.ts';
import type { DefinitionOf } from './order-fixtures.ts';

/** A time that no test reaches, in milliseconds. */
const LONG_MS = 600_000;
/** Time by which a store's clock may run on during a test, in milliseconds. */
const MARGIN_MS = 4000;

const FIRST = { position: 1, event: '8000000000000001' };
const SECOND = { position: 2, event: '8000000000000002' };

/**
 * Registers with `runner` every test that an adapter of {@link OwnerCheckpoints} must pass beside those of
 * `checkpointsContract`. The adapter stores orders of `definition`, by default {@link ORDERS}.
 */
export function ownerCheckpointsContract<D extends OrderDefinition>(
  runner: TestRunner,
  open: Open<OwnerCheckpointsSubject<D>>,
  ...definition: DefinitionOf<D>
): void {
  const { cases } = contractOn(runner, open, definition, FeedBench);
  claimsContract(cases);
  ownersContract(cases);
}

/** Claims an owner that can be claimed. */
async function claim({ checkpoints }: AnySubject, owner: Owner, name = 'mail'): Promise<Claim> {
  return (await succeeds(checkpoints.claim(owner, name))) ?? assert.fail('another claim holds');
}

function claimsContract({ describe, it }: Cases<FeedBench>): void {
  describe('a claim', () => {
    it('has the last saved position, and excludes others of the same owner and consumer alone', async ({ subject }) => {
      const { checkpoints } = subject;
      const owner = anOwner();
      const { fence, position } = await claim(subject, owner);
      assert.equal(position, null);
      assert.equal(await succeeds(((await subject.openAnother?.()) ?? subject).checkpoints.claim(owner, 'mail')), null);
      await claim(subject, owner, 'Mail');
      await claim(subject, anOwner());
      assert.equal(await succeeds(checkpoints.load(owner, 'mail')), null);
      assert.equal(await succeeds(checkpoints.saveClaimed(owner, 'mail', fence, FIRST)), true);
      assert.deepEqual(await succeeds(checkpoints.load(owner, 'mail')), FIRST);
      await succeeds(checkpoints.release(owner, 'mail', fence));
      assert.deepEqual((await claim(subject, owner)).position, FIRST);
    });

    it('expires, and then the next one fences it off', async ({ subject }) => {
      const { checkpoints } = subject;
      const owner = anOwner();
      const first = await claim(subject, owner);
      await subject.advance(owner, CLAIM_MS - MARGIN_MS);
      assert.equal(await succeeds(checkpoints.claim(owner, 'mail')), null);
      await subject.advance(owner, MARGIN_MS);
      const second = await claim(subject, owner);
      assert.ok(second.fence > first.fence, 'the fence must increase');
      assert.equal(await succeeds(checkpoints.saveClaimed(owner, 'mail', first.fence, FIRST)), false);
      await succeeds(checkpoints.release(owner, 'mail', first.fence));
      assert.equal(await succeeds(checkpoints.claim(owner, 'mail')), null);
      assert.equal(await succeeds(checkpoints.load(owner, 'mail')), null);
    });

    it('is renewed by a save', async ({ subject }) => {
      const owner = anOwner();
      const { fence } = await claim(subject, owner);
      await subject.advance(owner, CLAIM_MS - MARGIN_MS);
      await succeeds(subject.checkpoints.saveClaimed(owner, 'mail', fence, FIRST));
      await subject.advance(owner, CLAIM_MS - MARGIN_MS);
      assert.equal(await succeeds(subject.checkpoints.claim(owner, 'mail')), null);
    });

    it('ends by its release and by a save without it', async ({ subject }) => {
      const { checkpoints } = subject;
      const owner = anOwner();
      for (const end of [
        ({ fence }: Claim) => checkpoints.release(owner, 'mail', fence),
        () => checkpoints.save(owner, 'mail', SECOND),
      ]) {
        const ended = await claim(subject, owner);
        await succeeds(end(ended));
        assert.equal(await succeeds(checkpoints.saveClaimed(owner, 'mail', ended.fence, FIRST)), false);
        await succeeds(checkpoints.release(owner, 'mail', (await claim(subject, owner)).fence));
      }
      assert.deepEqual(await succeeds(checkpoints.load(owner, 'mail')), SECOND);
    });
  });
}

/** Reads all pages, and returns those of `owners` that they have, in their order. */
async function found(
  owners: readonly Owner[],
  pageAfter: (after: Owner | null) => ReturnType<OwnerCheckpoints['listOwners']>,
): Promise<readonly Owner[]> {
  const all: Owner[] = [];
  for (let after: Owner | null = null; ;) {
    const page: OwnersPage = await succeeds(pageAfter(after));
    all.push(...page.owners);
    if (page.next === null) break;
    assert.ok(after === null || page.next > after, 'a page must advance');
    after = page.next;
  }
  return all.filter((owner) => owners.includes(owner));
}

function ownersContract({ describe, it }: Cases<FeedBench>): void {
  describe('the owners with events', () => {
    it('are listed once, in the order of their characters, whether their events have positions or not', async (bench) => {
      const { subject, owner: name } = bench;
      const benches = [bench, ...[undefined, `${name} a`, `${name} Z`].map((owner) => bench.ofAnother(owner))];
      const owners = benches.map(({ owner }) => owner).toSorted((left, right) => (left < right ? -1 : 1));
      const idle = bench.ofAnother();
      await idle.page();
      for (const each of benches) await each.place();
      await bench.page();
      const listed = await found([...owners, idle.owner], (after) => subject.checkpoints.listOwners(after));
      assert.deepEqual(listed, owners);
    });

    it('are behind until the position of the consumer is the end of their feed', async (reader) => {
      const { checkpoints } = reader.subject;
      const fresh = reader.ofAnother();
      const owners = [reader.owner, fresh.owner];
      const behind = async (name: string) => [...(await found(owners, (after) => checkpoints.findBehind(name, after)))];
      await reader.place();
      const first = await reader.end();
      await fresh.place();
      const both = owners.toSorted((left, right) => (left < right ? -1 : 1));
      assert.deepEqual(await behind('mail'), both);
      await succeeds(checkpoints.save(reader.owner, 'mail', first));
      assert.deepEqual(await behind('mail'), [fresh.owner]);
      assert.deepEqual(await behind('Mail'), both);
      await reader.place();
      assert.deepEqual(await behind('mail'), both);
      await reader.end();
      assert.deepEqual(await behind('mail'), both);
      await succeeds(checkpoints.save(reader.owner, 'mail', { ...SECOND, position: 7 }));
      assert.deepEqual(await behind('mail'), both);
    });

    it('are behind with a purged feed until its end is saved', async (bench) => {
      const { checkpoints } = bench.subject;
      await bench.place({ at: oldTime(1) });
      await bench.purge(oldTime(2));
      const behind = () => found([bench.owner], (after) => checkpoints.findBehind('mail', after));
      assert.deepEqual(await behind(), [bench.owner]);
      await succeeds(checkpoints.save(bench.owner, 'mail', (await bench.page()).next));
      assert.deepEqual(await behind(), []);
      await succeeds(checkpoints.save(bench.owner, 'mail', FEED_START));
      assert.deepEqual(await behind(), [bench.owner]);
    });
  });

  describe('a wait for changes', () => {
    const wait = async ({ checkpoints }: AnySubject, state: string | null, options: Partial<FeedWaitOptions> = {}) =>
      await checkpoints.waitForChanges(state, { timeoutMs: LONG_MS, ...options });

    it('ends after a write on the same server and on another one, and at once if it was before', async (bench) => {
      const { subject } = bench;
      for (const writer of [bench, await bench.onAnotherServer()]) {
        const { state } = await wait(subject, null);
        const waiting = wait(subject, state);
        await writer.place();
        const { owners } = await endsInTime(bench, waiting);
        assert.ok(owners === null || owners.includes(bench.owner), 'the wait must name the owner, or all');
        const later = await endsInTime(bench, wait(subject, state));
        assert.ok(later.state !== state, 'the state must change');
      }
    });

    it('ends with its signal, and leaves no listener', async (bench) => {
      const { subject } = bench;
      const [before, during, later] = [new Abort(), new Abort(), new Abort()];
      const { state } = await wait(subject, null);
      before.abort();
      await endsInTime(bench, wait(subject, state, { signal: before }));
      const waiting = wait(subject, state, { signal: during });
      during.abort();
      await endsInTime(bench, waiting);
      await endsInTime(bench, wait(subject, state, { timeoutMs: 1, signal: later }));
      assert.equal(later.listeners, 0, 'a listener is left');
    });
  });
}
