import { probeConflicts } from './conflicts.ts';
import { clientOf, jsonOf } from './exchange.ts';
import { type ApiShape, readApi } from './families.ts';
import { noFindings } from './findings.ts';
import { probeForeignIds } from './foreign-ids.ts';
import { probeForeignCursors } from './foreign-cursors.ts';
import { probeForeignValues } from './foreign-values.ts';
import { probeNames, probeRepeats } from './replays.ts';
import { type CredentialsOf, setScene } from './scene.ts';
import { compareWith, snapshotOf } from './snapshot.ts';

/** A server that answers, without anything in it yet. */
export interface ProbedServer {
  readonly origin: string;
  /** Tells the headers with which an owner may do everything. */
  readonly credentialsOf: CredentialsOf;
}

/** What a probe found. */
interface Report {
  /** The ids of the operations that were compared. */
  readonly operations: readonly string[];
  /** How many requests were sent. */
  readonly requests: number;
  /** Where resources of another owner show. */
  readonly findings: readonly string[];
}

/**
 * Probes every operation of the OpenAPI document that the server has at `/openapi.json`: what is another owner's must
 * answer as what never existed. Knows of no operation by name.
 *
 * @throws {Error} naming what of the document it would have to pass over
 */
export async function probeOwnership({ origin, credentialsOf }: ProbedServer): Promise<Report> {
  const { send: sendUncounted, close } = clientOf(origin);
  let requests = 0;
  const send: typeof sendUncounted = (request) => {
    requests += 1;
    return sendUncounted(request);
  };
  try {
    const api = readApi(jsonOf(await send({ method: 'GET', url: '/openapi.json', headers: {} })));
    const findings = noFindings();
    const scene = await setScene(api, send, credentialsOf, findings);
    const { victim, others } = scene;
    const [newcomer, neighbour] = others;
    const all = [victim, newcomer, neighbour];
    const before = await Promise.all(all.map((holder) => snapshotOf(scene, holder)));
    await probeForeignIds(scene);
    await probeForeignValues(scene);
    await probeForeignCursors(scene);
    for (const [index, holder] of all.entries()) await compareWith(before[index] ?? new Map(), scene, holder);
    await probeConflicts(scene, neighbour);
    await probeRepeats(scene, newcomer);
    await probeNames(scene, neighbour);
    await compareWith(before[0] ?? new Map(), scene, victim);
    return { operations: probed(api), requests, findings: findings.all() };
  } finally {
    close();
  }
}

function probed({ families }: ApiShape): readonly string[] {
  return families.flatMap(({ operations }) => operations.map(({ id }) => id));
}
