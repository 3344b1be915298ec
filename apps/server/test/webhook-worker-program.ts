// Delivers webhooks until it is killed, or kills itself at a step: node webhook-worker-program.ts URL KEY [STEP COUNT]
import { systemClock, uuidv7Ids } from '@orders/domain/runtime';
import type { WebhookQueue, WebhookSender } from '@orders/domain/webhooks';
import { openDatabase, postgresWebhookEndpoints, postgresWebhookQueue } from '@orders/persistence';
import { startWebhookWorker, webhookSecrets, webhookSender } from '@orders/webhooks';

const [url = '', signingKey = '', lethal = '', count = '1'] = process.argv.slice(2);
let left = Number(count);

/** Kills this process as `kill -9` does, if it has reached the step often enough. */
function reached<T>(step: string, value: T): T {
  if (step !== lethal) return value;
  left -= 1;
  if (left <= 0) process.kill(process.pid, 'SIGKILL');
  return value;
}

const database = openDatabase({ url, poolMax: 4 });
const queue = postgresWebhookQueue(database);
const sender = webhookSender({
  secrets: webhookSecrets([signingKey]),
  clock: systemClock,
  rules: { allow: ['127.0.0.1'] },
  timeoutMs: 1000,
  // Tests start this program often; a thread would take as long again to start.
  isolated: false,
});

const lethalQueue: WebhookQueue = {
  findDue: (limit, after) => queue.findDue(limit, after),
  // The command is on its way to the database when the process ends.
  fanOut: (owner) => {
    const running = queue.fanOut(owner);
    reached('during fan-out', null);
    return running.map((fannedOut) => reached('after fan-out', fannedOut));
  },
  claim: (owner, limit) =>
    queue.claim(owner, limit).map((claimed) => (claimed.length > 0 ? reached('after claim', claimed) : claimed)),
  settle: (...settled) => {
    const running = queue.settle(...settled);
    reached('during settlement', null);
    return running.map((result) => reached('after settlement', result));
  },
};

const lethalSender: WebhookSender = {
  send: async (...message) => reached('after response', await sender.send(...message)),
};

startWebhookWorker({
  queue: lethalQueue,
  sender: lethalSender,
  endpoints: postgresWebhookEndpoints(database),
  ids: uuidv7Ids(),
  clock: systemClock,
  present: (event) => event,
  log: { info: () => undefined, warn: (_details, message) => void process.stderr.write(`${message}\n`) },
  pollMs: 50,
});
