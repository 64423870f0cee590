import { createHmac } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { beforeEach, describe, expect, test } from 'vitest';
import { hasNews, render, reportOf } from '../../src/commands/review/digest.ts';
import { listVisits, quiet, type Rates, simulateVisits } from '../analysis/change/visits.ts';
import { runCli } from '../e2e/support/run-cli.ts';
import { runCommand } from '../e2e/support/run-command.ts';
import { newFolder } from '../support/folders.ts';
import { listRows, startForeignTracker } from '../support/foreign-tracker.ts';
import { listening } from '../support/listening.ts';

const usual: Rates = { ...quiet, visits: 400 };
const visitsOf = (id: string, trouble: Partial<Rates>, first = 13) =>
  listVisits(simulateVisits(trouble, Number(id), usual, first), id, Date.now()).filter(
    ({ Date: at }) => at <= new Date().toISOString(),
  );

const campaigns = '[{"ID":"1","Name":"Search"},{"ID":"2","Name":"Native"}]';
/** The visits of both campaigns as a tracker lists them. */
const latestFirst = (...visits: ReturnType<typeof visitsOf>[]) =>
  visits.flat().sort((one, other) => (one.Date < other.Date ? 1 : -1));
const well = latestFirst(visitsOf('1', {}), visitsOf('2', {}));
const brokenPage: Partial<Rates> = { clickRate: ({ page }) => (page === 'Quiz' ? 0 : 0.3) };
const ill = latestFirst(visitsOf('1', brokenPage), visitsOf('2', {}));
const worse = latestFirst(visitsOf('1', brokenPage), visitsOf('2', brokenPage));

const tracker = await startForeignTracker({ 'campaign/list': campaigns, conversions: '[]', stats: '[]' });
const list = (visits: ReturnType<typeof visitsOf>, unreadable: readonly string[] = [], maximum = 1e6) =>
  tracker.answer('visitorstats', (asked) =>
    unreadable.includes(asked['camp'] ?? '') ? refused('not here') : listRows(visits, maximum)(asked),
  );

const secret = 'a secret of the webhook';
const posted: { headers: Record<string, unknown>; body: string }[] = [];
let status = 200;
const idsPosted = () => posted.map(({ headers }) => headers['webhook-id']);
const receiver = createServer(async (request, response) => {
  posted.push({ headers: request.headers, body: await text(request) });
  response.writeHead(status).end();
});
const webhook = `${await listening(receiver)}/hook`;

let state = '';
beforeEach(async () => {
  state = join(await newFolder(), 'state.json');
  posted.length = 0;
  status = 200;
});

const reviewIn = (environment: Readonly<Record<string, string>>, ...given: string[]) =>
  runCommand(['review', ...given], {
    environment: {
      ...{ TRACKER_URL: tracker.url, TRACKER_API_KEY: 'review-secret-key', TRACKER_TIMEZONE: 'UTC' },
      ...environment,
    },
  });
// A webhook on this machine gets no proxy.
const review = (...given: string[]) => reviewIn({ HTTP_PROXY: 'http://127.0.0.1:1' }, ...given);

const unchanging = await startForeignTracker({
  ...{ 'campaign/list': campaigns, conversions: '[]', visitorstats: listRows(ill), stats: '[]' },
});

/** A round whose receiver never comes to a status: it waits for half a minute, so it begins before the tests and runs beside them. */
async function reviewUnanswered() {
  const drips: NodeJS.Timeout[] = [];
  const slow = createTcpServer((socket) => {
    socket.on('error', () => {}).write('HTTP/1.1 200 OK\r\nX-Slow: ');
    drips.push(setInterval(() => socket.write('x'), 500));
  });
  const environment = { TRACKER_URL: unchanging.url, TRACKER_API_KEY: 'review-secret-key', TRACKER_TIMEZONE: 'UTC' };
  const given = ['review', '--state', join(await newFolder(), 'state.json'), '--webhook', await listening(slow)];
  const start = performance.now();
  const ended = await runCli(given, { environment });
  for (const drip of drips) clearInterval(drip);
  return { ...ended, tookMs: performance.now() - start };
}

const unanswered = reviewUnanswered();

/** Reviews the account with these visits. */
const round = (...given: Parameters<typeof list>) => {
  list(...given);
  return review('--state', state);
};
const refused = (Message: string) => ({ status: 400, body: JSON.stringify({ Status: 'Error', Message }) });
const refuseConversions = () => tracker.answer('conversions', () => refused('no sales here'));
/** The end of a run with this text on stdout. */
const ending = (code: number, text: string) => ({ code, stdout: expect.stringContaining(text) });
/** The end of a run with exit code 2 and this text on stderr. */
const failure = (text: string) => ({ code: 2, stderr: expect.stringContaining(text) });

describe('review', () => {
  test('reports new and recovered troubles, and each time that it looked', async () => {
    expect(await round(well)).toMatchObject(ending(0, 'Everything was read. There is nothing new'));
    const found = await round(ill);
    expect(found).toMatchObject(ending(1, '1 new, 0 ongoing'));
    expect(found.stdout).toMatch(/a day: 1 “Search”: landing page Quiz: \d+ visits, 0 clicks in 24 hours/);
    expect(await round(ill)).toMatchObject(ending(0, '0 new, 1 ongoing'));
    tracker.answer('visitorstats', () => ({ status: 500, body: 'broken' }));
    const blind = await review('--state', state);
    expect(blind).toMatchObject(ending(2, 'Could not look'));
    expect(blind.stdout).not.toContain('recovered');
    expect(await round(ill)).toMatchObject(ending(0, '1 ongoing'));
    expect((await round(well)).stdout).toContain('recovered: “Search”: landing page Quiz');
  });

  test('reads campaign by campaign if necessary; unread campaigns are named and never recovered', async () => {
    const found = await round(ill, ['0']);
    expect(found).toMatchObject(ending(1, '1 new, 0 ongoing'));
    const partly = await round(well, ['0', '1']);
    expect(partly).toMatchObject(ending(0, '0 recovered'));
    expect(partly.stdout).toMatch(/not seen: 1 of 2 campaigns could not be read: 1 “Search” \(.*not here.*\)\./);
    // A day of one campaign fits into a list, a day of all campaigns does not.
    expect((await round(ill, [], 555)).stdout).toMatch(/0 new, 1 ongoing, 0 recovered\n.*Everything was read/);
    // Not even a day of one campaign fits.
    expect(await round(well, [], 101)).toMatchObject(ending(2, 'Could not look'));
    expect((await round(well, ['0'])).stdout).toContain('recovered: “Search”');
  });

  test('what was read can be recovered; what needs unread campaigns or conversions cannot', async () => {
    expect((await round(worse)).stdout).toContain('2 new, 0 ongoing');
    const partly = await round(well, ['0', '1']);
    expect(partly.stdout).toMatch(/1 recovered\n.*recovered: “Native”.*\n.*not seen: 1 of 2 campaigns.*“Search”/);
    expect((await round(well)).stdout).toMatch(/1 recovered\n.*recovered: “Search”/);

    const unsold = [...visitsOf('1', { saleRate: () => 0 }, 11), ...visitsOf('2', brokenPage)];
    expect((await round(unsold)).stdout).toContain('“Search”: clicks go on');
    refuseConversions();
    const unread = await round(well);
    expect(unread.stdout).toMatch(/1 recovered\n.*recovered: “Native”.*\n.*not seen: How late.*no sales here/);
    tracker.answer('conversions', '[]');
    expect((await round(well)).stdout).toContain('recovered: “Search”: clicks go on');
  });

  test('a campaign that stays dark is not recovered once there are no good days to compare with', async () => {
    const darkSince = async (first: number) =>
      (await round([...visitsOf('1', { visits: 0 }, first), ...visitsOf('2', {})])).stdout;
    expect(await darkSince(12)).toContain('1 new');
    for (const first of [8, 4, 1]) expect(await darkSince(first)).toContain('0 recovered');
    expect((await round(well)).stdout).toContain('recovered: “Search”: got 0 visits');
  });

  test('a finding that needs clicks is not recovered in a list without clicks', async () => {
    await round(ill);
    const unclear = await round(well.map(({ Clicked: _, ...visit }) => visit) as typeof well);
    expect(unclear.stdout).toMatch(/ 0 recovered\n(.*\n)*not seen: .*clicks/);
    expect((await round(well)).stdout).toContain('recovered: “Search”: landing page Quiz');
  });

  test('an accepted finding is one line, until it costs twice as much, its day has come, or it is over', async () => {
    const found = await round(ill);
    const [, id = ''] = /\((\d{9})\)$/m.exec(found.stdout) ?? [];
    const accepted = await review('--state', state, '--accept', id, '--until', '2999-01-01');
    expect(accepted).toMatchObject(ending(0, 'Accepted: “Search”: landing page Quiz'));
    expect(accepted.stdout).toMatch(/reported again on 2999-01-01, or if it is more than \d+\.\d\d a day/);

    const known = await round(ill);
    expect(known).toMatchObject(ending(0, '0 new, 0 ongoing, 0 recovered, 1 accepted'));
    expect(known.stdout).toMatch(
      new RegExp(`\naccepted until 2999-01-01: “Search”: landing page Quiz: .* \\(${id}\\)$`, 'm'),
    );
    const json = JSON.parse((await review('--state', state, '--json')).stdout);
    expect(json.trackers[0]).toMatchObject({ new: [], still: [], accepted: [{ id, kind: 'page_without_clicks' }] });

    const saved = await readFile(state, 'utf8');
    await writeFile(state, saved.replace('2999-01-01', new Date().toISOString().slice(0, 10)));
    expect(await round(ill)).toMatchObject(ending(1, '1 new, 0 ongoing'));
    expect(await round(ill)).toMatchObject(ending(0, '0 new, 1 ongoing'));

    expect((await review('--state', state, '--accept', id)).stdout).toContain('It is reported again if it is more');
    const larger = (times: number) => [
      ...visitsOf('1', { ...brokenPage, visits: usual.visits * times }),
      ...visitsOf('2', {}),
    ];
    expect(await round(larger(1.7))).toMatchObject(ending(0, '1 accepted'));
    expect(await round(larger(3))).toMatchObject(ending(1, '1 new, 0 ongoing'));

    expect(await review('--state', state, '--accept', id)).toMatchObject({ code: 0 });
    expect((await round(well)).stdout).toContain('1 recovered');
    expect(await round(ill)).toMatchObject(ending(1, '1 new, 0 ongoing'));
  });

  test('a finding is accepted while a round is under way, and by its ID of the same account alone', async () => {
    const [, id = ''] = /\((\d{9})\)$/m.exec((await round(ill)).stdout) ?? [];
    const environment = { TRACKER_URL: tracker.url, TRACKER_API_KEY: 'review-secret-key', TRACKER_TIMEZONE: 'UTC' };
    let accepting: ReturnType<typeof runCli> | undefined;
    tracker.answer('visitorstats', async (asked) => {
      accepting ??= runCli(['review', '--state', state, '--accept', id], { environment });
      await accepting;
      return listRows(ill)(asked);
    });
    expect(await review('--state', state)).toMatchObject(ending(0, '0 new, 0 ongoing, 0 recovered, 1 accepted'));
    const saved = await readFile(state, 'utf8');
    const unknown = await review('--state', state, '--accept', '000000000');
    expect(unknown).toMatchObject(failure(`The state file has no finding 000000000. It has: ${id} “Search”`));
    await writeFile(state, saved.replace(/"account": "[^"]+"/, '"account": "other"'));
    expect(await review('--state', state, '--accept', id)).toMatchObject(failure('belongs to another account'));
  });

  test.each([
    [['--accept', '123456789'], '--accept needs --state'],
    [['--until', '2999-01-01'], '--until needs --accept'],
    [['--state', 'x', '--accept', '1', '--until', '2999-02-30'], 'It must be a day'],
    [['--state', 'x', '--accept', '1', '--replay', '3'], '--accept makes no review'],
  ])('refuses %o', async (given, why) => {
    expect(await review(...given)).toMatchObject(failure(why));
  });

  test('a finding made without the conversions can be recovered without them', async () => {
    refuseConversions();
    const unsold = [...visitsOf('1', { saleRate: () => 0 }, 11), ...visitsOf('2', {})];
    expect((await round(unsold)).stdout).toContain('“Search”: clicks go on');
    expect((await round(well)).stdout).toContain('recovered: “Search”: clicks go on');
    tracker.answer('conversions', '[]');
  });

  test.each([
    ['hang', () => new Promise<never>(() => {})],
    ['fail', () => ({ status: 500, body: 'broken' })],
  ])(
    'asks unreached campaigns first and failed ones last, so that campaigns that %s do not hide others for long',
    async (_, answer) => {
      const ids = Array.from({ length: 14 }, (_, index) => String(index + 1));
      tracker.answer('campaign/list', JSON.stringify(ids.map((ID) => ({ ID, Name: `C${ID}` }))));
      const [sick, sound] = [visitsOf('13', brokenPage), visitsOf('14', {})];
      const asked: string[] = [];
      tracker.answer('visitorstats', (given) => {
        const { camp = '' } = given;
        asked.push(camp);
        if (camp === '0') return refused('not here');
        return Number(camp) <= 12 ? answer() : listRows([...sick, ...sound])(given);
      });
      const shortRound = () => review('--state', state, '--timeout', '5000');
      const codes: unknown[] = [];
      while (codes.length < 5 && codes.at(-1) !== 1) codes.push((await shortRound()).code);
      expect(codes.at(-1)).toBe(1);
      asked.length = 0;
      expect(await shortRound()).toMatchObject(ending(0, '0 new, 1 ongoing, 0 recovered'));
      // Four campaigns are asked at once.
      const first = asked.filter((id) => id !== '0').slice(0, 4);
      expect(first).toEqual(expect.arrayContaining(['13', '14']));
      tracker.answer('campaign/list', campaigns);
    },
  );

  test('does not overwrite a file that is not a state, or is one of another version', async () => {
    for (const content of ['{"trackers":[{"name":"us"}]}', '{"version":2,"trackers":{},"pending":[]}']) {
      await writeFile(state, content);
      expect(await review('--state', state)).toMatchObject({ stdout: '', ...failure('is not a state file') });
      expect(await readFile(state, 'utf8')).toBe(content);
    }
  });

  test('posts news once, signed over its ID, time and body', async () => {
    const secretFile = `${state}.secret`;
    await writeFile(secretFile, secret);
    const given = ['--state', state, '--webhook', webhook, '--webhook-secret-file', secretFile];
    list(ill);
    expect((await review(...given)).code).toBe(1);
    expect((await review(...given)).code).toBe(0);
    expect(posted).toHaveLength(1);
    const [{ headers, body } = { headers: {}, body: '' }] = posted;
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', secret).update(signed).digest('base64')}`);
    expect(JSON.parse(body)).toMatchObject({
      text: expect.stringContaining('1 new'),
      trackers: [{ new: [{ kind: 'page_without_clicks', campaign_id: 1 }], still: [], well_again: [] }],
      proposals_waiting: 0,
    });
    expect((await review(...given, '--heartbeat')).code).toBe(0);
    expect(posted).toHaveLength(2);
  });

  test('reports what it found even if the webhook refuses it, and posts it later under the first IDs', async () => {
    const hook = ['--state', state, '--webhook', webhook];
    status = 400;
    list(ill);
    const refused = await review(...hook);
    expect(refused).toMatchObject(ending(2, '1 new, 0 ongoing'));
    expect(refused.stderr).toMatch(/1 message was not accepted by the webhook at 127\.0\.0\.1:\d+: it answered 400\./);
    list(worse);
    const again = await review(...hook);
    expect(again).toMatchObject(ending(2, '1 new, 1 ongoing'));
    expect(again.stderr).toContain('2 messages were not accepted');
    const [first, , second] = idsPosted();
    expect(idsPosted()).toEqual([first, first, second]);
    status = 200;
    posted.length = 0;
    expect((await review(...hook)).code).toBe(0);
    expect(idsPosted()).toEqual([first, second]);
    expect(posted.map(({ body }) => JSON.parse(body).trackers[0].new.length)).toEqual([1, 1]);
    expect(JSON.parse(await readFile(state, 'utf8')).pending).toEqual([]);
  });

  test('a name that would notify, link or run something is only words in the message and in Markdown', async () => {
    const Name =
      '<!channel> <https://evil.example/login|Approve> @everyone ![x](https://evil.example/x) <img onerror=x>';
    tracker.answer(
      'campaign/list',
      JSON.stringify([
        { ID: '1', Name },
        { ID: '2', Name: 'Native' },
      ]),
    );
    list(ill);
    await review('--webhook', webhook);
    const { stdout } = await review('--markdown');
    tracker.answer('campaign/list', campaigns);
    const { text: message } = JSON.parse(posted[0]?.body ?? '{}');
    expect(message).toMatch(/a day: “‹!channel› ‹https：\/\/evil․example\/login¦Approve› ＠everyone/);
    expect(message).not.toMatch(/[<>@[\]]|:\/\//);
    expect(stdout).toMatch(/^- .*“&lt;!channel&gt;/m);
    expect(stdout).not.toMatch(/[<>@]|(?<!\\)[[\]]|(?<!\\):\/\//);
  });

  test('the message begins with what costs most, with tracker, zone and currency', async () => {
    list(ill);
    await review('--webhook', webhook, '--currency', 'USD');
    const { text: message } = JSON.parse(posted[0]?.body ?? '{}');
    const [first, second] = message.split('\n');
    expect(first).toMatch(
      /^costs you about \$\d+ a day: “Search”: landing page Quiz: \d+ visits, 0 clicks in 24 hours/,
    );
    expect(second).toMatch(/^127\.0\.0\.1:\d+, \d{4}-\d\d-\d\d \d\d:\d\d UTC: 1 new, .*; money in USD$/);
  });

  test('posts to each chat program what it takes, and no longer than it takes', { timeout: 60_000 }, async () => {
    const ids = Array.from({ length: 24 }, (_, index) => String(index + 1));
    const named = ids.map((ID) => ({ ID, Name: `US sweeps ${ID} iPhone ${'x'.repeat(30)}` }));
    tracker.answer('campaign/list', JSON.stringify(named));
    list(ids.flatMap((id) => visitsOf(id, { ...brokenPage, visits: 150 })));
    const text = expect.stringMatching(/^costs you about \d+ a day: “US sweeps \d+ iPhone/);
    const chats = {
      slack: { address: webhook, expected: { text, unfurl_links: false }, maxLength: 4000 },
      discord: { address: webhook, expected: { content: text, allowed_mentions: { parse: [] } }, maxLength: 2000 },
      telegram: {
        address: `${webhook}/bot1:token/sendMessage?chat_id=-100`,
        expected: { text, chat_id: '-100' },
        maxLength: 4096,
      },
      teams: {
        address: webhook,
        expected: { attachments: [{ content: { type: 'AdaptiveCard', body: expect.arrayContaining([]) } }] },
        maxLength: 6000,
      },
    };
    for (const [chat, { address, expected, maxLength }] of Object.entries(chats)) {
      posted.length = 0;
      const { code, stdout } = await review('--webhook', address, '--webhook-format', chat);
      expect(code).toBe(1);
      const body = JSON.parse(posted[0]?.body ?? '');
      expect(body).toMatchObject(expected);
      const cards: { readonly text: string }[] = body.attachments?.[0].content.body ?? [];
      const message: string = body.text ?? body.content ?? cards.map((card) => card.text).join('\n');
      expect(message).toEqual(text);
      expect(message.length).toBeLessThanOrEqual(maxLength);
      const lines = message.split('\n');
      const [, rest] = /^… (\d+) more, shown by tracker-mcp review$/.exec(lines.at(-1) ?? '') ?? [];
      const [, added] = / (\d+) new/.exec(stdout) ?? [];
      // A line for each finding, and one for what was found.
      const shown = rest === undefined ? lines.length : lines.length - 1 + Number(rest);
      expect(shown).toBe(Number(added) + 1);
      expect(chat !== 'discord' || Number(rest) > 0).toBe(true);
    }
    tracker.answer('campaign/list', campaigns);
  });

  test('a message that waits is posted in the format of the round that posts it', async () => {
    status = 500;
    list(ill);
    await review('--state', state, '--webhook', webhook);
    status = 200;
    posted.length = 0;
    await review('--state', state, '--webhook', webhook, '--webhook-format', 'discord');
    expect(JSON.parse(posted[0]?.body ?? '')).toMatchObject({ content: expect.stringMatching(/^costs you about/) });
  });

  test('signs no chat’s format, and never tells more of the URL than its host', async () => {
    const token = 'bot123:AAsecret-of-the-bot';
    const bot = webhook.replace('/hook', `/${token}/sendMessage?chat_id=77`);
    const telegram = ['--webhook', bot, '--webhook-format', 'telegram'];
    await writeFile(`${state}.secret`, secret);
    const signed = await review(...telegram, '--webhook-secret-file', `${state}.secret`);
    expect(signed).toMatchObject(failure('telegram checks no signature'));
    status = 400;
    list(ill);
    const refused = await review(...telegram, '--state', state);
    status = 410;
    const gone = await review(...telegram, '--state', state);
    const wrong = await review('--webhook', bot.replace('http:', 'ftp:'));
    expect([refused.code, gone.code, wrong.code]).toEqual([2, 2, 2]);
    const told = [signed, refused, gone, wrong].flatMap(({ stdout, stderr }) => [stdout, stderr]);
    for (const text of [...told, await readFile(state, 'utf8')]) expect(text).not.toContain('AAsecret');
  });

  test('two rounds at the same time report a finding once, under one ID', async () => {
    list(ill);
    const given = ['review', '--state', state, '--webhook', webhook];
    const environment = { TRACKER_URL: tracker.url, TRACKER_API_KEY: 'review-secret-key', TRACKER_TIMEZONE: 'UTC' };
    const rounds = await Promise.all([1, 2, 3].map(() => runCli(given, { environment })));
    expect(rounds.map(({ code }) => code).sort()).toEqual([0, 0, 1]);
    expect(rounds.filter(({ stdout }) => stdout.includes('1 new'))).toHaveLength(1);
    expect(posted).toHaveLength(1);
    expect(await readdir(dirname(state))).toEqual(['state.json']);
  });

  test('with a clock that was set back nothing is recovered, and the report says so', async () => {
    await round(ill);
    const saved = JSON.parse(await readFile(state, 'utf8'));
    for (const finding of Object.values<{ found_at: number }>(saved.trackers[''].findings))
      finding.found_at += 3_600_000;
    await writeFile(state, JSON.stringify(saved));
    const back = await round(well);
    expect(back.stdout).toMatch(/0 recovered\n.*not seen: .*the clock is behind the last review/);
    for (const finding of Object.values<{ found_at: number }>(saved.trackers[''].findings))
      finding.found_at -= 3_600_000;
    await writeFile(state, JSON.stringify(saved));
    expect((await round(well)).stdout).toContain('1 recovered');
  });

  test('a receiver that is gone (410) is dropped, with its messages, and each round says so', async () => {
    const hook = ['--state', state, '--webhook', webhook];
    status = 410;
    list(ill);
    expect(await review(...hook)).toMatchObject(failure('it answered 410, so it is gone. 1 message was dropped'));
    expect(JSON.parse(await readFile(state, 'utf8')).pending).toEqual([]);
    const quiet = await review(...hook, '--heartbeat');
    expect(quiet).toMatchObject({ code: 0, stderr: expect.stringContaining('gone (410), so nothing is posted to it') });
    list(worse);
    expect(await review(...hook)).toMatchObject(failure('nothing is posted to it'));
    expect(posted).toHaveLength(1);
  });

  test('messages that wait are bounded in number and age, and what is dropped is reported', async () => {
    const pending = Array.from({ length: 60 }, (_, index) => ({
      ...{ id: `msg_${index}`, body: '{}' },
      made_at: Date.now() - (index < 2 || index === 59 ? 8 : 1) * 86_400_000,
    }));
    await writeFile(state, JSON.stringify({ version: 1, trackers: {}, pending }));
    const { stderr } = await round(well);
    expect(stderr).toMatch(/10 messages were dropped.*50 messages wait/s);
    const kept = JSON.parse(await readFile(state, 'utf8')).pending;
    expect(kept.map(({ id }: { id: string }) => id)).toEqual(pending.slice(9, 59).map(({ id }) => id));
  });

  test('an answer that comes byte by byte holds no round: its status decides', async () => {
    const drips: NodeJS.Timeout[] = [];
    let count = 0;
    const slow = createServer((_, response) => {
      count += 1;
      response.writeHead(200);
      drips.push(setInterval(() => response.write('x'), 500));
    });
    const address = await listening(slow);
    list(ill);
    const start = performance.now();
    expect((await review('--state', state, '--webhook', address)).code).toBe(1);
    for (const drip of drips) clearInterval(drip);
    expect(count).toBe(1);
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  test('a receiver that never comes to a status ends with the deadline of all posts, 30 s', async () => {
    const { tookMs, ...ended } = await unanswered;
    expect(ended).toMatchObject(failure('no answer within'));
    expect(tookMs).toBeLessThan(40_000);
  });

  test.each(['whsec_!!!!!!!!!!!!', 'whsec_==========', 'whsec_not base 64 at all'])(
    'refuses the secret %s at the start',
    async (text) => {
      await writeFile(`${state}.secret`, text);
      const refused = await review('--webhook', webhook, '--webhook-secret-file', `${state}.secret`);
      expect(refused).toMatchObject({ stdout: '', ...failure('begins with whsec_, so Base64 must follow') });
    },
  );

  test('keeps undelivered messages in a round without a webhook, and reports them', async () => {
    status = 400;
    list(ill);
    await review('--state', state, '--webhook', webhook);
    const [id] = idsPosted();
    const without = await review('--state', state);
    expect(without).toMatchObject({ code: 0, stderr: expect.stringContaining('1 message waits') });
    status = 200;
    expect((await review('--state', state, '--webhook', webhook)).code).toBe(0);
    expect(idsPosted()).toEqual([id, id]);
  });

  test('posts a message left by an earlier version, under its ID', async () => {
    const pending = { id: 'msg_earlier', body: '{"text":"earlier"}' };
    await writeFile(state, JSON.stringify({ version: 1, trackers: {}, pending }));
    list(well);
    expect((await review('--state', state, '--webhook', webhook)).code).toBe(0);
    expect(posted).toMatchObject([{ headers: { 'webhook-id': pending.id }, body: pending.body }]);
  });

  test('a digest of twelve findings has fewer than 600 tokens', async () => {
    const ids = Array.from({ length: 12 }, (_, index) => String(index + 1));
    tracker.answer('campaign/list', JSON.stringify(ids.map((ID) => ({ ID, Name: `US sweeps ${ID} iPhone mobile` }))));
    list(ids.flatMap((id) => visitsOf(id, brokenPage)));
    const { stdout } = await review();
    tracker.answer('campaign/list', campaigns);
    expect(stdout).toContain('12 new');
    // The pages have had no clicks for 24 hours, and the last one came up to three hours earlier.
    const weekday = new Date(Date.now() - 27 * 3_600_000).toLocaleDateString('en', {
      weekday: 'long',
      timeZone: 'UTC',
    });
    const lineOf = (since: string) =>
      `^(\\d+) a day: \\d+ “US sweeps \\d+ iPhone mobile”: landing page Quiz: .*, since ${since} → get_breakdown \\(\\d{9}\\)$`;
    const line = new RegExp(lineOf(`(?:today(?: \\d\\d:00)?|yesterday|${weekday})`), 'gm');
    const money = [...stdout.matchAll(line)].map(([, amount]) => Number(amount));
    expect(money).toHaveLength(12);
    expect(money).toEqual(money.toSorted((one, other) => other - one));
    expect(encode(stdout).length).toBeLessThan(600);
  });

  test('a damaged state is moved and reported, and the state of another account is refused', async () => {
    list(ill);
    await writeFile(state, '{"version":1,');
    const damaged = await review('--state', state);
    expect(damaged).toMatchObject({ code: 1, stderr: expect.stringContaining('is damaged and was moved to') });
    expect(await readFile(`${state}.damaged`, 'utf8')).toBe('{"version":1,');
    const saved = await readFile(state, 'utf8');
    await writeFile(state, saved.replace(/"account": "[^"]+"/, '"account": "other"'));
    expect(await review('--state', state)).toMatchObject(failure('belongs to another account'));
  });

  test('prints JSON and Markdown, and replays past days', async () => {
    list(ill);
    const json = JSON.parse((await review('--json')).stdout);
    expect(json.trackers[0].new[0]).toMatchObject({ kind: 'page_without_clicks', next: { tool: 'get_breakdown' } });
    expect((await review('--markdown')).stdout).toMatch(/^## .*: 1 new.*\n### It costs you\n- /);
    const replayed = (await review('--replay', '10')).stdout;
    expect(replayed).toContain('It would have reported something on 1 of 10 days');
    expect(replayed.match(/^\d{4}-\d\d-\d\d$/gm)).toHaveLength(1);
  });

  test('takes longer than a chat would wait, unless its own command line says otherwise', async () => {
    list(ill);
    tracker.answer('campaign/list', async () => {
      await sleep(700);
      return { body: campaigns };
    });
    const environment = { TRACKER_TIMEOUT_MS: '300' };
    expect(await review('--timeout', '300')).toMatchObject(ending(2, 'Could not look'));
    expect(await reviewIn(environment)).toMatchObject(ending(1, '1 new'));
    expect(await reviewIn(environment, '--replay', '3')).toMatchObject(ending(0, 'something on 1 of 3 days'));
    tracker.answer('campaign/list', campaigns);
  });

  test('a tracker that cannot be read fails neither the round nor the replay of another', async () => {
    list(ill);
    const key_command = [process.execPath, '-p', '"review-secret-key"'];
    const trackers = { shut: { url: 'http://127.0.0.1:1', key_command }, open: { url: tracker.url, key_command } };
    const file = `${state}.trackers`;
    await writeFile(file, JSON.stringify({ trackers }));
    const environment = { TRACKER_URL: '', TRACKER_API_KEY: '', TRACKER_CONFIG: file };
    const found = await reviewIn(environment);
    expect(found).toMatchObject(ending(2, 'open, '));
    expect(found.stdout).toMatch(/^shut, Could not look\n.*\n\nopen, [\d: -]+UTC: 1 new/);
    const replayed = await reviewIn(environment, '--replay', '3');
    expect(replayed).toMatchObject(ending(2, 'open: It would have reported something on 1 of 3 days'));
    expect(replayed.stderr).toContain('shut: ');
  });

  test('days that cannot be read do not fail the round: the later ones are reviewed, and that is told', async () => {
    const latestFirst = ill.toSorted((one, other) => (one.Date < other.Date ? 1 : -1));
    const dark = new Date(Date.now() - 9 * 86_400_000).toISOString().slice(0, 10);
    // A few days fit into a list, the latest visits first.
    tracker.answer('visitorstats', (asked) =>
      (asked['end'] ?? '') <= dark ? refused('these days are broken') : listRows(latestFirst, 2400)(asked),
    );
    const found = await review();
    expect(found).toMatchObject(ending(1, '1 new'));
    expect(found.stdout).toMatch(/a day: 1 “Search”: landing page Quiz/);
    expect(found.stdout).toMatch(/not seen: Only the last days of 2 of 2 campaigns could be read whole/);
  });

  test('names today as the day that could not be read, never tomorrow', async () => {
    const [today, tomorrow] = [0, 1].map((days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10));
    // One campaign cannot be read at all, and of the other no day fits into a list.
    list(well, ['0', '1'], 101);
    const blind = await review();
    expect(blind).toMatchObject(ending(2, `the visits of ${today} could not be read whole`));
    expect(blind.stdout).not.toContain(tomorrow);
  });

  test('ends with 2 and prints nothing if the state cannot be written', async () => {
    list(ill);
    const failed = await review('--state', join(state, 'nowhere', 'state.json'));
    expect(failed).toMatchObject({ stdout: '', ...failure('cannot be written') });
  });

  test.each([
    [['--webhook', 'ftp://x'], 'must be a URL'],
    [['--webhook-secret-file', 'x'], 'needs --webhook'],
    [['--webhook-format', 'slack'], 'needs --webhook'],
    [['--webhook', webhook, '--webhook-format', 'irc'], 'Allowed choices are json, slack, discord, telegram, teams'],
    [['--webhook', `${webhook}/sendMessage`, '--webhook-format', 'telegram'], 'must end with /sendMessage?chat_id='],
    [['--replay', '0'], 'whole number from 1 to 180'],
  ])('refuses %o', async (given, why) => {
    expect(await review(...given)).toMatchObject(failure(why));
  });
});

test.each([
  [1, '1 proposed write waits for a yes'],
  [2, '2 proposed writes wait for a yes'],
])('%i proposed writes are counted', (waiting, sentence) => {
  expect(render([], waiting, 'terminal')).toContain(sentence);
});

test('outcomes of changes are in the digest, and are news', () => {
  const changes = { added: [], still: [], accepted: [], wellAgain: [], isClockBehind: false };
  const outcome = { state: 'paid', start: '2026-05-21', end: '2026-06-03', earned: 5040, without_it: 4200 } as const;
  const told = { ...outcome, difference: 840, low: 300, high: 1380 };
  const report = {
    ...{ name: undefined, title: 'Sample data', currency: 'USD', timeZone: 'UTC', asOf: '2026-06-18 12:00', changes },
    ...{ unseen: [], isBlind: false, wasBlind: false },
    outcomes: [{ change_id: '1a2b3c', tool: 'set_shares', time: '2026-05-20T14:00:00Z', outcome: told }],
  };
  expect(hasNews(report)).toBe(true);
  expect(hasNews({ ...report, outcomes: [] })).toBe(false);
  const text = render([report], 0, 'terminal');
  expect(text).toMatch(/outcome of set_shares of 2026-05-20 \(change 1a2b3c\): it paid: \+840\.00 USD/);
  expect(text).not.toContain('nothing new');
  expect(reportOf([report], 0).trackers[0]?.outcomes).toEqual(report.outcomes);
});
