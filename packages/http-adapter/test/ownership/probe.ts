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

/** A running server without data. */
export interface ProbedServer {
  readonly origin: string;
  /** Returns the headers that give an owner all scopes. */
  readonly credentialsOf: CredentialsOf;
}

/** Result of a probe. */
interface Report {
  /** Ids of the compared operations. */
  readonly operations: readonly string[];
  /** Number of sent requests. */
  readonly requests: number;
  /** Leaks of resources of another owner. */
  readonly findings: readonly string[];
}

/**
 * Probes every operation of the OpenAPI document at `/openapi.json`: resources of another owner must have the same
 * responses as nonexistent ones. It knows no operation by name.
 *
 * @throws {Error} if it does not support a part of the document
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
