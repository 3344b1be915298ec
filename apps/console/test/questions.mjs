// The questions that operators have, each played in the shop of the demo by keys alone and by the mouse alone. A script has steps:
//   for keys     keys; `to NAME`, as many Tabs as lead to what has this name
//   for a mouse  what the words of it begin with, a regular expression; `choose OPTION in LIST`, in a list of the browser
//   for both     `type TEXT`; `see TEXT`, what one waits for before one goes on
import { ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { query } from '../../../tools/system-under-test/src/postgres.ts';

/** The seconds that a person needs: to think of what to press or click, to press a key, to point and click (keystroke-level model). */
const [THINKS, PRESSES, CLICKS, SECONDS_MAX] = [1.35, 0.28, 1.3, 60];
const HOUR_MS = 3_600_000;
const TABS_MAX = 16;

/** Returns the table for two times of events that a receiver failed to accept, two buyers, and a day of the week. */
function questionsOf({ missed, buyers, day }) {
  const again = (at) => {
    const [from, before] = [at - HOUR_MS, at + 2 * HOUR_MS].map(typed);
    return {
      keys:
        `to Since · type ${from} · to Before · type ${before} · Enter · see Send these · a · Enter · ` +
        'type Ticket 4715 · Enter · see would be sent · Enter',
      mouse:
        `Since · type ${from} · Before · type ${before} · Show these deliveries · Send these again · ` +
        String.raw`Why you do this · type Ticket 4715 · Count them · Send (it|these [\d,]+) again$`,
    };
  };
  const filter = '. filter: owner, status, time';
  const find = (reference) => `/ · type ${reference} · Enter · see What happened`;
  return [
    {
      question: 'Who cancelled this order, when, why?',
      keys: find('PO-4004'),
      mouse: `${filter} · cancelled · Show these orders · see --status cancelled · PO- · see What happened`,
      seen: /→ cancelled\s+web shop: “Buyer changed their mind”/,
    },
    {
      question: 'What did a receiver miss in three hours, and send it again?',
      keys: `g w · see has failed · j · Enter · f · type failed · ${again(missed[0]).keys}`,
      mouse: String.raw`Webhooks · 127\.0\.0\.1 · . status, time · choose failed in Show · ${again(missed[1]).mouse}`,
      seen: /All of them are queued/,
    },
    {
      question: 'Send again everything accepted but lost between two times',
      keys: `g w · see Endpoints · f · type accepted · ${again(Date.now()).keys}`,
      mouse: `Webhooks · . status, time · choose accepted in Show · ${again(Date.now()).mouse}`,
      seen: /All of them are queued/,
    },
    {
      question: 'Which owner causes the load?',
      keys: 'g n',
      mouse: 'Owners',
      seen: /the most first\.[^]*LAST EVENT\s+\S+\s+active\s+\d/i,
    },
    {
      question: 'Orders over 200 EUR on a day of last week',
      keys: `f · to Placed on · type ${day} · to Total from · type 200 · to Currency · type EUR · Enter`,
      mouse: `${filter} · choose ${day} in Placed on · Total from · type 200 · Currency · type EUR · Show these orders`,
      seen: new RegExp(String.raw`since ${day} [^]*total from 200[^]*${day} \d+ \w+ \d\d:\d\d[^]* EUR\s`),
    },
    {
      question: 'Erase one buyer, also a guest',
      keys:
        `g c · see has stored of one person · f · type shop-berlin · Tab · type ${buyers[0]} · Enter · ` +
        `see No customer has this email · a · Enter · type ${buyers[0]} · Tab · type Ticket 4716 · Enter`,
      mouse:
        `Customers · Owner$ · type shop-berlin · Email · type ${buyers[1]} · Show what is stored · Erase this person · ` +
        `Why you do this · type Ticket 4716 · Type ${buyers[1]} · type ${buyers[1]} · Erase`,
      seen: /The erasure has begun|The person is erased/,
    },
    {
      question: 'Correct a stuck order',
      keys:
        `${find('PO-4009')} · see Correct… · a · to Correct… · Enter · see Ignores the lifecycle · type paid · Tab · ` +
        'type Ticket 4717 · Enter',
      mouse:
        `${filter} · delivered · Show these orders · see --status delivered · (?!PO-4009)PO- · Correct… · ` +
        'choose paid in From delivered to · Why you do this · type Ticket 4717 · Correct the status',
      seen: /Corrected: delivered → paid/,
    },
    {
      question: 'Failed deliveries of all owners',
      keys: 'g w',
      mouse: 'Webhooks',
      seen: /items returned\s+…\w+\s+shop-berlin\s+12 attempts/,
    },
    {
      question: 'Orders per status and day',
      keys: 'g v · see Per day, for two weeks · a · Enter',
      mouse: 'Overview · Per day, for two weeks',
      seen: /placed\s+paid\s+shipped\s+delivered\s+cancelled\s+\w{3} \d+ \w{3}\s+\d+/i,
    },
  ];
}

/** Returns a time as it is typed into a field of Chromium, whose year may have six digits. */
function typed(time) {
  const at = new Date(time);
  const two = (number) => String(number).padStart(2, '0');
  const hours = at.getHours();
  const clock = `${two(hours % 12 || 12)}${two(at.getMinutes())}${hours < 12 ? 'AM' : 'PM'}`;
  return `${two(at.getMonth() + 1)}${two(at.getDate())}00${at.getFullYear()}${clock}`;
}

/** Lets days pass, in which the receiver that fails had no attempt left but for one event. Returns what the questions are about. */
async function prepareShop(dataDir) {
  const read = (name) => readFileSync(join(dataDir, name), 'utf8').trim();
  const [, , , port] = read('postmaster.pid').split('\n');
  const url = `postgres://orders:${read('database-password')}@127.0.0.1:${port}/orders`;
  const failed = await query(
    url,
    `update orders.webhook_deliveries as d set status = 'failed', attempts = 12, due_at = null from orders.changes as c
     where (c.owner_id, c.event_id) = (d.owner_id, d.event_id) and d.status = 'pending' and d.type = 'order.items_returned'
       and d.endpoint_id = (select id from orders.webhook_endpoints where url like '%/warehouse')
       and d.position > (select min(position) from orders.webhook_deliveries where endpoint_id = d.endpoint_id)
     returning c.occurred_at`,
  );
  const missed = failed.map(({ occurred_at: at }) => at.getTime()).toSorted((one, other) => one - other);
  const people = `select distinct buyer ->> 'email' as email from orders.orders where owner_id = 'shop-berlin' limit 2`;
  const day = new Date(Date.now() - 72 * HOUR_MS).toLocaleDateString('en', { weekday: 'short' });
  return { missed: [missed[0], missed.at(-1)], buyers: (await query(url, people)).map(({ email }) => email), day };
}

/** Plays each question twice, and prints how many steps and seconds each way takes a person. */
export async function playsQuestions(page, url, dataDir) {
  for (const { question, seen, ...scripts } of questionsOf(await prepareShop(dataDir)))
    for (const way of ['keys', 'mouse']) {
      await page.goto(`${url}/#/orders`);
      await page.locator('tbody tr').first().waitFor();
      const began = performance.now();
      const { acts, seconds } = await plays(page, scripts[way].split(' · '), way === 'keys' ? press : click);
      await page.waitForFunction((source) => new RegExp(source, 'i').test(document.body.innerText), seen.source);
      const waited = (performance.now() - began) / 1000;
      console.log(
        `${question} ${way}: ${acts} steps, ${seconds.toFixed(0)} s of a person, ${waited.toFixed(1)} s here`,
      );
      ok(seconds <= SECONDS_MAX, 'it takes a person more than a minute');
    }
}

async function plays(page, steps, act) {
  let [acts, seconds] = [0, 0];
  for (const step of steps) {
    const text = step.slice(step.indexOf(' ') + 1);
    const [isSeen, isTyped] = [step.startsWith('see '), step.startsWith('type ')];
    if (isSeen) await page.getByText(text).first().waitFor();
    else if (isTyped) await page.keyboard.type(text);
    else seconds += THINKS + (await act(page, step));
    if (isTyped) seconds += PRESSES * text.length;
    if (!isSeen) acts += 1;
  }
  return { acts, seconds };
}

async function press(page, step) {
  // What is disabled while something is written gets the focus back.
  await page.waitForFunction(() => !document.querySelector('dialog[open]:not(:focus-within)'));
  const name = /^to (.*)$/.exec(step)?.[1];
  const keys = step.split(' ');
  if (name === undefined) for (const key of keys) await page.keyboard.press(key);
  if (name === undefined) return PRESSES * keys.length;
  for (let tabs = 1; tabs <= TABS_MAX; tabs += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const { activeElement: element } = document;
      return element.labels?.[0]?.innerText ?? element.innerText;
    });
    if (focused.startsWith(name)) return PRESSES * tabs;
  }
  throw new Error(`${name} is more than ${TABS_MAX} Tabs away`);
}

async function click(page, step) {
  const choice = /^choose (.*) in (.*)$/.exec(step);
  if (choice) {
    const [, option, list] = choice;
    const select = page.locator('label', { hasText: new RegExp(`^${list}`) }).locator('select');
    await select.selectOption(await select.locator('option', { hasText: option }).first().getAttribute('value'));
    return 2 * CLICKS;
  }
  // What is dimmed is about to be replaced.
  await page.locator('.opacity-60').waitFor({ state: 'detached' });
  const within = (await page.locator('dialog[open]').count()) > 0 ? page.locator('dialog[open]') : page;
  const named = new RegExp(`^\\s*${step}`);
  await within.locator('a, button, summary, label').filter({ visible: true, hasText: named }).first().click();
  return CLICKS;
}
