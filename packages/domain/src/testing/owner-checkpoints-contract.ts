import { CLAIM_MS, type Claim, type OwnerCheckpoints, type OwnersPage } from '../events/checkpoints.ts';
import { Abort } from '../events/abort.ts';
import { FEED_START } from '../events/feed-position.ts';
import type { FeedWaitOptions } from '../events/event-feed.ts';
import type { DefaultDefinition, OrderDefinition } from '../orders/order-lifecycle.ts';
import type { Owner } from '../shared/ids.ts';
import * as assert from './assertions.ts';
import { anOwner, type Cases, casesOf, succeeds, type TestRunner } from './contract-subject.ts';
import { type EventFeedSubject, FeedBench, type FeedServer, oldTime } from './event-feed-contract/subject.ts';
import { endsInTime } from './event-feed-contract/waits.contract.ts';
import { type DefinitionOf, fixturesOf, widen } from './order-fixtures.ts';

/** A server on the store under test, with the checkpoints of consumers. */
export interface CheckpointsServer<D extends OrderDefinition = DefaultDefinition> extends FeedServer<D> {
  readonly checkpoints: OwnerCheckpoints;
}

/** A store under test, with the events of its owners and the checkpoints of consumers. */
export interface OwnerCheckpointsSubject<D extends OrderDefinition = DefaultDefinition>
  extends CheckpointsServer<D>, Pick<EventFeedSubject<D>, 'purge' | 'patienceMs'> {
  /**
   * Makes the store's time for claims of `owner` later by `ms` milliseconds. A database whose clock cannot be set moves the
   * stored times back instead.
   */
  advance(owner: Owner, ms: number): Promise<void>;
  /** Opens another server on the same store. Default: none; the tests of two servers then use one. */
  readonly openAnother?: (() => Promise<CheckpointsServer<D>> | CheckpointsServer<D>) | undefined;
}

/** Opens the store under test. Each test calls it once. The store may contain data, as every test uses new owners. */
type OpenSubject<D extends OrderDefinition> = () => Promise<OwnerCheckpointsSubject<D>> | OwnerCheckpointsSubject<D>;

type AnySubject = OwnerCheckpointsSubject<OrderDefinition>;

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
  open: OpenSubject<D>,
  ...definition: DefinitionOf<D>
): void {
  const fixtures = fixturesOf(definition);
  const openSubject = async (): Promise<AnySubject> => widen(await open());
  claimsContract(casesOf(runner, openSubject));
  const openOwners = async () => {
    const subject = await openSubject();
    const benchOf = (owner?: Owner, server?: FeedServer<OrderDefinition>) =>
      new FeedBench(fixtures, subject, owner, server);
    return { subject, benchOf };
  };
  ownersContract(casesOf(runner, openOwners));
}

/** Claims an owner that can be claimed. */
async function claim({ checkpoints }: AnySubject, owner: Owner, name = 'mail'): Promise<Claim> {
  return (await succeeds(checkpoints.claim(owner, name))) ?? assert.fail('another claim holds');
}

function claimsContract({ describe, it }: Cases<AnySubject>): void {
  describe('a claim', () => {
    it('has the last saved position, and excludes others of the same owner and consumer alone', async (subject) => {
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

    it('expires, and then the next one fences it off', async (subject) => {
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

    it('is renewed by a save', async (subject) => {
      const owner = anOwner();
      const { fence } = await claim(subject, owner);
      await subject.advance(owner, CLAIM_MS - MARGIN_MS);
      await succeeds(subject.checkpoints.saveClaimed(owner, 'mail', fence, FIRST));
      await subject.advance(owner, CLAIM_MS - MARGIN_MS);
      assert.equal(await succeeds(subject.checkpoints.claim(owner, 'mail')), null);
    });

    it('ends by its release and by a save without it', async (subject) => {
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

interface Opened {
  readonly subject: AnySubject;
  readonly benchOf: (owner?: Owner, server?: FeedServer<OrderDefinition>) => FeedBench;
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

function ownersContract({ describe, it }: Cases<Opened>): void {
  describe('the owners with events', () => {
    it('are listed once, in the order of their characters, whether their events have positions or not', async (opened) => {
      const { subject, benchOf } = opened;
      const name = anOwner();
      const benches = [benchOf(), benchOf(`${name} a`), benchOf(`${name} Z`), benchOf(name)];
      const owners = benches.map(({ owner }) => owner).toSorted((left, right) => (left < right ? -1 : 1));
      const idle = benchOf();
      await idle.page();
      for (const bench of benches) await bench.place();
      await benches[0]?.page();
      const listed = await found([...owners, idle.owner], (after) => subject.checkpoints.listOwners(after));
      assert.deepEqual(listed, owners);
    });

    it('are behind until the position of the consumer is the end of their feed', async ({ subject, benchOf }) => {
      const { checkpoints } = subject;
      const [reader, fresh] = [benchOf(), benchOf()];
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

    it('are behind with a purged feed until its end is saved', async ({ subject, benchOf }) => {
      const { checkpoints } = subject;
      const bench = benchOf();
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

    it('ends after a write on the same server and on another one, and at once if it was before', async (opened) => {
      const { subject, benchOf } = opened;
      const bench = benchOf();
      for (const server of [subject, (await subject.openAnother?.()) ?? subject]) {
        const writer = benchOf(bench.owner, server);
        const { state } = await wait(subject, null);
        const waiting = wait(subject, state);
        await writer.place();
        const { owners } = await endsInTime(bench, waiting);
        assert.ok(owners === null || owners.includes(bench.owner), 'the wait must name the owner, or all');
        const later = await endsInTime(bench, wait(subject, state));
        assert.ok(later.state !== state, 'the state must change');
      }
    });

    it('ends with its signal, and leaves no listener', async ({ subject, benchOf }) => {
      const bench = benchOf();
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
