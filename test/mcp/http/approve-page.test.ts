import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Approvers } from '../../../src/guard/approval.ts';
import { readAuditLog } from '../../../src/guard/read-audit-log.ts';
import { openSignIns } from '../../../src/mcp/http/approve-app.ts';
import { TokenFile } from '../../../src/mcp/http/token-file.ts';
import { openApprovedWrites } from '../../../src/tools/approved-writes.ts';
import { type ProposalAnswer, setUpApproval } from '../../support/approving.ts';
import { openTrail } from '../../support/audit-trail.ts';
import { contextFor } from '../../support/connect.ts';
import { startHttp } from '../../support/http-server.ts';
import { startKeepingTracker } from '../../support/keeping-tracker.ts';
import { bearer, toolCall } from '../../support/messages.ts';

const { tracker, campaign } = await startKeepingTracker();
const setup = await setUpApproval();
const tokens = new TokenFile(join(setup.folder, 'tokens.json'));
const proposer = await tokens.add({ name: 'bob', access: 'propose', max_bid: 5 });
const secondProposer = await tokens.add({ name: 'eve', access: 'propose' });
const writer = await tokens.add({ name: 'carol', access: 'write' });
const auditLog = join(setup.folder, 'writes.jsonl');

const proposals = setup.proposals();
const auditTrail = openTrail(auditLog, { tracker: tracker.url });
const policy = { proposals, auditTrail };
const context = contextFor({ url: tracker.url, policy });
const failures: unknown[] = [];
const verifier = new TokenFile(join(setup.folder, 'tokens.json'));
const writes = openApprovedWrites(proposals, context, (error) => failures.push(error), verifier);
const { url, post, logged } = await startHttp(
  { context },
  { verifier, approving: { proposals, writes }, allowOrigins: ['https://app.example.com'] },
);
const { origin } = new URL(url);
afterEach(() => {
  expect(failures).toEqual([]);
});

async function call(token: string, name: string, given: object) {
  const { body } = await post(toolCall(name, given), bearer(token));
  const { structuredContent, content } = (body.result ?? {}) as {
    structuredContent?: { done: boolean; proposal?: ProposalAnswer; notices: string[] } & ProposalAnswer;
    content?: readonly { text: string }[];
  };
  return { data: structuredContent, text: content?.[0]?.text ?? JSON.stringify(body) };
}

let amount = 0;
/** A write of bob's agent, with a new bid each time. */
function callAsBob() {
  amount += 0.01;
  return call(proposer, 'edit_campaign', { campaign_id: 1, bid: Number(amount.toFixed(2)) });
}

/** Makes a proposal of bob's agent and returns its ID. */
const propose = async () => (await callAsBob()).data?.proposal?.proposal_id ?? 'none';
const stateOf = async (id: string) => (await proposals.find(id))?.state;

type SentHeaders = Readonly<Record<string, string | undefined>>;
type Browser = ReturnType<typeof openBrowser>;

const formType = 'application/x-www-form-urlencoded';

/** The approval page for a request with these headers. */
const pageWith = async (headers: Readonly<Record<string, string>>, server = origin) =>
  (await fetch(`${server}/approve`, { headers })).text();

/** A browser for this page: it keeps its cookie and sends the origin of a form. */
function openBrowser(originOf = () => origin) {
  let cookie = '';
  const ask = async (path: string, request: RequestInit, server = originOf()) => {
    const headers = { ...(cookie === '' ? {} : { cookie }), ...(request.headers as Record<string, string>) };
    const response = await fetch(server + path, { redirect: 'manual', ...request, headers });
    const set = response.headers.get('set-cookie') ?? '';
    if (set !== '') cookie = set.split(';')[0] ?? '';
    return { status: response.status, headers: response.headers, html: await response.text(), cookie: set };
  };
  const get = (path = '/approve') => ask(path, {});
  return {
    get,
    send: (path: string, form: Readonly<Record<string, string>>, headers: SentHeaders = {}) => {
      const server = originOf();
      const all: SentHeaders = { origin: server, 'content-type': formType, ...headers };
      const sent = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
      const body = new URLSearchParams(form).toString();
      return ask(path, { method: 'POST', headers: Object.fromEntries(sent), body }, server);
    },
    formToken: async () => /name="form_token" value="([^"]+)"/.exec((await get()).html)?.[1] ?? 'none',
  };
}

async function signedIn(secret = setup.secret, originOf = () => origin) {
  const browser = openBrowser(originOf);
  expect((await browser.send('/approve/sign-in', { secret })).status).toBe(303);
  return browser;
}

/** A proposal, and a browser in which ann is signed in. */
async function proposedAndSignedIn() {
  return { id: await propose(), browser: await signedIn() };
}

/** A second server with the same directory of proposals. */
async function startReplica(logFormat: 'text' | 'json' = 'text') {
  const shared = setup.proposals();
  const sharing = contextFor({ url: tracker.url, policy: { ...policy, proposals: shared } });
  const sender = openApprovedWrites(shared, sharing, (error) => failures.push(error), verifier);
  const approving = { proposals: shared, writes: sender };
  const server = await startHttp({ context: sharing }, { verifier, approving }, logFormat);
  return { replica: new URL(server.url).origin, logged: server.logged };
}

const decideIn = async (browser: Browser, id: string, verdict = 'yes') =>
  browser.send('/approve/decide', { form_token: await browser.formToken(), proposal: id, verdict });

describe('a person on the page', () => {
  it('signs in, sees the exact change and approves it, and it is sent at once', async () => {
    const { id, browser } = await proposedAndSignedIn();
    const { html } = await browser.get();
    expect(html).toContain('Signed in as <strong>ann</strong>');
    expect(html).toContain(`bid: 0.1 -&gt; ${amount}`);
    expect(html).toContain('token of bob');
    expect(html).toMatch(/api\/campaign\/edit: key=\*\*\* format=json campaignid=1 bid=/);
    expect((await decideIn(browser, id)).status).toBe(303);
    expect(tracker.writes()).toHaveLength(1);
    const outcome = (await browser.get(`/approve?decided=${id}`)).html;
    expect(outcome).toMatch(
      /<p role="status">Proposal done: “Search”: bid 0\.1 to 0\.01\. ann approved it, and it was sent\. undo_change takes it back\.<\/p>/,
    );
    expect((await browser.get()).html).toMatch(
      new RegExp(`Proposal ${id} \\(edit_campaign\\), decided by ann: done; change \\w+: ann approved it`),
    );
    const { writes: audited } = await readAuditLog(auditLog);
    expect(audited.at(-1)).toMatchObject({ owner: 'bob', approver: 'ann', proposal: id, outcome: 'ok' });
    campaign.Bid = '0.10';
  });

  it('reads why they cannot decide twice', async () => {
    const { id, browser } = await proposedAndSignedIn();
    await decideIn(browser, id, 'no');
    const again = await decideIn(browser, id, 'yes');
    expect([again.status, again.html]).toEqual([409, expect.stringContaining('is not waiting any more')]);
    expect(tracker.writes()).toEqual([]);
  });

  it.each(['yes', 'no'])('clicks %s twice and reads the outcome, not that nothing was decided', async (verdict) => {
    const { id, browser } = await proposedAndSignedIn();
    const form = { form_token: await browser.formToken(), proposal: id, verdict };
    const click = () => browser.send('/approve/decide', form);
    const clicks = [...(await Promise.all([click(), click()])), await click()];
    for (const { status, headers } of clicks) {
      expect([status, headers.get('location')]).toEqual([303, `/approve?decided=${id}`]);
    }
    expect(tracker.writes()).toHaveLength(verdict === 'yes' ? 1 : 0);
    campaign.Bid = '0.10';
  });

  it.each(['sign-in', 'sign-out', 'decide'])('opens the page again from the address of the form %s', async (form) => {
    const { browser } = await proposedAndSignedIn();
    const { status, headers } = await browser.get(`/approve/${form}`);
    expect([status, headers.get('location')]).toEqual([303, '/approve']);
    expect((await browser.get()).html).toContain('Signed in as');
  });

  it('signs out, and the cookie is no longer valid', async () => {
    const { id, browser } = await proposedAndSignedIn();
    const form_token = await browser.formToken();
    const { cookie } = await browser.send('/approve/sign-out', { form_token });
    expect(cookie).toContain('Max-Age=0');
    expect((await browser.send('/approve/decide', { form_token, proposal: id, verdict: 'yes' })).status).toBe(403);
    expect(await stateOf(id)).toBe('waiting');
  });
});

describe('a person who is signed in', () => {
  it('is signed in and out on every replica', async () => {
    const { replica } = await startReplica();
    let turn = 0;
    const browser = await signedIn(setup.secret, () => [origin, replica][turn++ % 2] ?? origin);
    const id = await propose();
    expect((await decideIn(browser, id, 'no')).status).toBe(303);
    expect(await stateOf(id)).toBe('rejected');
    const { cookie } = await browser.send('/approve/sign-in', { secret: setup.secret });
    const headers = { cookie: cookie.split(';')[0] ?? '' };
    expect(await pageWith(headers, replica)).toContain('Signed in as');
    await browser.send('/approve/sign-out', { form_token: await browser.formToken() });
    for (const server of [origin, replica]) expect(await pageWith(headers, server)).not.toContain('Signed in as');
  });

  it('is signed out when they are removed as an approver, even if they are added again', async () => {
    const approvers = new Approvers(setup.approversFile);
    const browser = await signedIn(await approvers.add('dan'));
    expect((await browser.get()).html).toContain('Signed in as <strong>dan</strong>');
    const [id, form_token] = [await propose(), await browser.formToken()];
    await approvers.remove('dan');
    expect((await browser.send('/approve/decide', { form_token, proposal: id, verdict: 'yes' })).status).toBe(403);
    await approvers.add('dan');
    expect((await browser.get()).html).not.toContain('Signed in as');
    expect(await stateOf(id)).toBe('waiting');
  });

  it('is signed out after 15 minutes without a click, or two hours', async () => {
    const signIns = openSignIns(setup.proposals());
    const idle = await signIns.begin(setup.secret);
    setup.clock.aheadMs += 16 * 60_000;
    expect(await signIns.find(idle)).toBeUndefined();
    const used = await signIns.begin(setup.secret);
    for (let minutes = 0; minutes <= 110; minutes += 10) {
      expect(await signIns.find(used)).toBeDefined();
      setup.clock.aheadMs += 10 * 60_000;
    }
    setup.clock.aheadMs += 60_000;
    expect(await signIns.find(used)).toBeUndefined();
    setup.clock.aheadMs = 0;
  });

  it('sees a page that looks again by itself while something is sent, which keeps nobody signed in', async () => {
    const { id, browser } = await proposedAndSignedIn();
    const form_token = await browser.formToken();
    await setup.decide(id);
    const addressIn = (html: string) =>
      /http-equiv="refresh" content="5; url=([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? 'none';
    const pages = [
      await browser.get(`/approve?decided=${id}`),
      // It is too late to reject it.
      await browser.send('/approve/decide', { form_token, proposal: id, verdict: 'no' }),
    ];
    for (const { html } of pages) expect((await browser.get(addressIn(html))).html).toContain('Signed in as');
    expect(addressIn(pages[0]?.html ?? '')).toContain(id);
    for (const minutes of [10, 20]) {
      setup.clock.aheadMs = minutes * 60_000;
      const { html } = await browser.get(addressIn(pages[0]?.html ?? ''));
      expect(html.includes('Signed in as')).toBe(minutes === 10);
    }
    setup.clock.aheadMs = 0;
    await writes.look();
    tracker.taken();
    campaign.Bid = '0.10';
  });

  it('cannot be imitated with the files of sign-ins', async () => {
    const { cookie } = await openBrowser().send('/approve/sign-in', { secret: setup.secret });
    const cookieValue = /=([\w-]+);/.exec(cookie)?.[1] ?? '';
    for (const name of (await setup.files()).filter((file) => file.includes('sign-in'))) {
      const text = await readFile(join(setup.directory, name), 'utf8');
      expect(text).not.toContain(cookieValue);
      for (const guess of [JSON.parse(text).sealed, name.split('.')[0], '']) {
        expect(await pageWith({ cookie: `tracker_mcp_approver=${guess}` })).not.toContain('Signed in as');
      }
    }
  });
});

describe('a proposal made with a token is not sent, and the approver reads why, with', () => {
  const addToken = (rights: object = {}) => tokens.add({ name: 'gil', access: 'propose', ...rights });
  const proposeAsGil = async () =>
    (await call(await addToken(), 'edit_campaign', { campaign_id: 1, bid: 3 })).data?.proposal?.proposal_id ?? 'none';

  it.each<[string, object | undefined, RegExp]>([
    ['a token that was removed', undefined, /token of gil was removed or has expired/],
    ['a token that has expired', { expires: '2020-01-01T00:00:00Z' }, /token of gil was removed or has expired/],
    ['a token that may only read', { access: 'read' }, /token of gil may only read/],
    ['a token with a lower maximum bid', { max_bid: 1 }, /highest bid that may be set is 1.*token of gil/],
    ['a token for other campaigns', { campaigns: [7] }, /campaigns 7 may be changed.*token of gil/],
    ['a token for other tools', { tools: ['list_campaigns'] }, /token of gil allows only list_campaigns/],
    ['a token for other trackers', { trackers: ['other'] }, /token of gil is not for this tracker/],
  ])('%s', async (_, rights, why) => {
    const id = await proposeAsGil();
    await tokens.remove('gil');
    if (rights) await addToken(rights);
    const browser = await signedIn();
    await decideIn(browser, id);
    expect(tracker.writes()).toEqual([]);
    const ending = { message: expect.stringMatching(why) };
    expect(await proposals.find(id)).toMatchObject({ state: 'stopped', ending });
    expect((await browser.get()).html).toMatch(why);
    if (rights) await tokens.remove('gil');
  });

  it('a server without tokens, which leaves it to other servers', async () => {
    const id = await proposeAsGil();
    await setup.decide(id);
    await openApprovedWrites(proposals, context, (error) => failures.push(error)).look();
    expect(await stateOf(id)).toBe('approved');
    await writes.look();
    expect(await stateOf(id)).toBe('done');
    await tokens.remove('gil');
    campaign.Bid = '0.10';
  });
});

it('one token cannot use up the proposals of others', async () => {
  const greedy = await tokens.add({ name: 'greedy', access: 'propose' });
  const bidOf = (bid: number) => call(greedy, 'edit_campaign', { campaign_id: 1, bid });
  for (let bid = 1; bid <= 20; bid += 1) expect((await bidOf(bid)).data?.proposal?.state).toBe('waiting');
  expect((await bidOf(21)).text).toContain('20 writes of the token of greedy already wait');
  expect(await stateOf(await propose())).toBe('waiting');
  for (const { proposal, state } of await proposals.all()) {
    if (state === 'waiting' && proposal.holder?.name === 'greedy') await setup.decide(proposal.id, 'no');
  }
});

describe('nothing is decided by', () => {
  it('a GET, signed in or not', async () => {
    const { id, browser } = await proposedAndSignedIn();
    const query = `form_token=${await browser.formToken()}&proposal=${id}&verdict=yes&secret=${setup.secret}`;
    for (const path of ['/approve', '/approve/decide', '/approve/sign-in', `/approve/${id}`, `/approve/decide/${id}`]) {
      for (const visitor of [browser, openBrowser()]) await visitor.get(`${path}?${query}`);
    }
    expect(await stateOf(id)).toBe('waiting');
    expect(tracker.writes()).toEqual([]);
  });

  it('a bearer token', async () => {
    const id = await propose();
    for (const token of [proposer, writer]) {
      const form = { proposal: id, verdict: 'yes', form_token: token, secret: token };
      for (const path of ['/approve/sign-in', '/approve/decide']) {
        expect((await openBrowser().send(path, form, bearer(token))).status).toBe(403);
      }
      expect(await pageWith(bearer(token))).not.toContain(id);
    }
    expect(await stateOf(id)).toBe('waiting');
  });

  it.each<[string, SentHeaders]>([
    ['from a different origin', { origin: 'https://evil.example' }],
    ['from an origin that may call the server', { origin: 'https://app.example.com' }],
    ['from a different port', { origin: 'http://127.0.0.1:1' }],
    ['without an origin', { origin: undefined }],
    ['from a frame with the origin null', { origin: 'null' }],
    ['that the browser marks as cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['of a different content type', { 'content-type': 'text/plain' }],
  ])('a form %s', async (_, headers) => {
    const { id, browser } = await proposedAndSignedIn();
    const form = { form_token: await browser.formToken(), proposal: id, verdict: 'yes', secret: setup.secret };
    expect((await browser.send('/approve/decide', form, headers)).status).toBe(403);
    expect((await openBrowser().send('/approve/sign-in', form, headers)).status).toBe(403);
    expect(await stateOf(id)).toBe('waiting');
  });

  it('a form sent to an unknown host name', async () => {
    const headers = { host: 'evil.example', origin: 'http://evil.example', 'content-type': formType };
    const posted = request(`${origin}/approve/sign-in`, { method: 'POST', headers });
    posted.end(`secret=${setup.secret}`);
    const [response] = await once(posted, 'response');
    expect([response.statusCode, response.headers['set-cookie']]).toEqual([403, undefined]);
    response.resume();
  });

  it('a form without the form token, with that of a different sign-in, or with an unknown verdict', async () => {
    const { id, browser } = await proposedAndSignedIn();
    const stranger = await signedIn();
    for (const [form_token, verdict] of [
      ...['', 'x', await stranger.formToken()].map((formToken) => [formToken, 'yes'] as const),
      [await browser.formToken(), 'maybe'] as const,
    ]) {
      expect((await browser.send('/approve/decide', { form_token, proposal: id, verdict })).status).toBe(403);
    }
    expect(await stateOf(id)).toBe('waiting');
  });

  it('a form that is too large', async () => {
    const form = { secret: setup.secret, more: 'x'.repeat(20_000) };
    expect((await openBrowser().send('/approve/sign-in', form)).status).toBe(403);
  });
});

it('the cookie is kept from scripts, other sites and other paths, and every page from frames, scripts and caches', async () => {
  const browser = openBrowser();
  const { cookie } = await browser.send('/approve/sign-in', { secret: setup.secret });
  expect(cookie).toMatch(/^tracker_mcp_approver=[\w-]{43}; Path=\/approve; HttpOnly; SameSite=Strict$/);
  for (const path of ['/approve', '/approve/style.css', '/approve/nothing']) {
    const { headers } = await browser.get(path);
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('access-control-allow-origin')).toBeNull();
  }
});

it('texts of trackers and agents are escaped on the page', async () => {
  const evil = '</li><script>alert(1)</script><img src=x onerror=alert(1)>"\'&';
  const given = { name: evil, url: `https://example.com/?${encodeURIComponent(evil)}` };
  const { data } = await call(secondProposer, 'add_offer', given);
  expect(data?.proposal?.state).toBe('waiting');
  const { html } = await (await signedIn()).get();
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(html).not.toMatch(/<script|<img/i);
});

it('a wrong secret is refused, and no secret is logged or shown', async () => {
  const { status, html } = await openBrowser().send('/approve/sign-in', { secret: 'aaaa-bbbb' });
  expect([status, html]).toEqual([403, expect.stringContaining('No approver has this secret')]);
  expect(logged.join()).toContain('refused a sign-in');
  expect(logged.join()).not.toContain('aaaa-bbbb');
  expect((await (await signedIn()).get()).html).not.toContain(setup.secret);
});

it('the JSON log has the request ID, person and outcome of each sign-in and decision', async () => {
  const server = await startReplica('json');
  const browser = openBrowser(() => server.replica);
  const signIn = (secret: string, id: string) => browser.send('/approve/sign-in', { secret }, { 'x-request-id': id });
  await signIn('aaaa', 'one');
  await signIn(setup.secret, 'two');
  const [id, form_token] = [await propose(), await browser.formToken()];
  const decide = { form_token, proposal: id, verdict: 'no' };
  await browser.send('/approve/decide', decide, { 'x-request-id': 'three' });
  await browser.send('/approve/decide', { ...decide, verdict: 'yes' });
  await browser.send('/approve/decide', { ...decide, form_token: 'x' });
  await browser.send('/approve/sign-out', { form_token });
  expect(server.logged.map((line) => JSON.parse(line))).toMatchObject([
    { event: 'sign_in', outcome: 'refused', request_id: 'one' },
    { event: 'sign_in', outcome: 'granted', request_id: 'two', approver: 'ann' },
    { event: 'decision', outcome: 'rejected', request_id: 'three', approver: 'ann', proposal: id },
    { event: 'decision', outcome: 'refused', approver: 'ann' },
    { event: 'decision', outcome: 'refused' },
    { event: 'sign_in', outcome: 'ended', approver: 'ann', request_id: expect.stringMatching(/^[\da-f-]{36}$/) },
  ]);
});

describe('a token that may only propose', () => {
  it('makes each write wait, within its limits, even if the server needs no confirmation', async () => {
    const set = (token: string, bid: number) => call(token, 'edit_campaign', { campaign_id: 1, bid });
    expect((await set(proposer, 6)).text).toContain('the token of bob');
    expect((await set(writer, 0.1)).data?.done).toBe(true);
    expect((await set(proposer, 4)).data?.proposal?.state).toBe('waiting');
    expect(tracker.writes()).toHaveLength(1);
  });

  it('reads only how its own proposals ended', async () => {
    const id = await propose();
    await setup.decide(id, 'no');
    await writes.look();
    const { data: eve } = await call(secondProposer, 'edit_campaign', { campaign_id: 1, bid: 0.77 });
    expect(eve?.notices.join()).not.toContain(id);
    const { data: bob } = await callAsBob();
    expect(bob?.notices.join()).toContain(`Proposal ${id} (edit_campaign), decided by ann: rejected`);
  });
});

it('the page is served only if writes can wait', async () => {
  const without = await startHttp({ url: tracker.url });
  expect((await fetch(new URL('/approve', without.url))).status).toBe(404);
});

it('a proposal tells the agent the address of this page, as its client reached the server, also through TLS', async () => {
  const { text } = await callAsBob();
  expect(text).toContain(`${origin}/approve`);
  const edit = toolCall('edit_campaign', { campaign_id: 2, bid: 0.7 });
  const { body } = await post(edit, { ...bearer(proposer), 'x-forwarded-proto': 'https' });
  expect(JSON.stringify(body)).toContain(`https://${new URL(origin).host}/approve`);
});
