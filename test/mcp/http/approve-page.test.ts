import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { AuditTrail } from '../../../src/guard/audit-trail.ts';
import { readAuditLog } from '../../../src/guard/read-audit-log.ts';
import { addToken, TokenFile } from '../../../src/mcp/http/access/token-file.ts';
import { ApprovedWrites } from '../../../src/tools/proposals/approved-writes.ts';
import { openMeetingPlace, type ProposalAnswer, startOffers } from '../../support/approving.ts';
import { contextFor } from '../../support/connect.ts';
import { startHttp } from '../../support/http-server.ts';

const { tracker, campaign } = await startOffers();
const place = await openMeetingPlace();
const tokens = join(place.folder, 'tokens.json');
const proposer = await addToken(tokens, { name: 'bob', access: 'propose', max_bid: 5 });
const other = await addToken(tokens, { name: 'eve', access: 'propose' });
const writer = await addToken(tokens, { name: 'carol', access: 'write' });
const auditLog = join(place.folder, 'writes.jsonl');

const proposals = place.proposals();
const policy = { proposals, auditTrail: new AuditTrail(auditLog, tracker.url) };
const context = contextFor({ url: tracker.url, policy });
const failures: unknown[] = [];
const writes = new ApprovedWrites(proposals, context, (error) => failures.push(error));
const { url, post, logged } = await startHttp(
  { context },
  { verifier: new TokenFile(tokens), approving: { proposals, writes }, allowOrigins: ['https://app.example.com'] },
);
const { origin } = new URL(url);
afterEach(() => {
  tracker.taken();
  expect(failures).toEqual([]);
});

async function call(token: string, name: string, given: object) {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } };
  const { body } = await post(message, { authorization: `Bearer ${token}` });
  const { structuredContent, content } = (body.result ?? {}) as {
    structuredContent?: { done: boolean; proposal?: ProposalAnswer; notices: string[] } & ProposalAnswer;
    content?: readonly { text: string }[];
  };
  return { data: structuredContent, text: content?.[0]?.text ?? JSON.stringify(body) };
}

let amount = 0;
/** A new proposal of bob's agent; its ID. */
async function propose(): Promise<string> {
  amount += 0.01;
  const { data } = await call(proposer, 'edit_campaign', { campaign_id: 1, bid: Number(amount.toFixed(2)) });
  return data?.proposal?.proposal_id ?? 'none';
}
const stateOf = async (id: string) => (await proposals.find(id))?.state;

interface Browser {
  readonly get: (path?: string) => Promise<{ status: number; headers: Headers; html: string }>;
  readonly send: (
    path: string,
    form: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string | undefined>>,
  ) => Promise<{ status: number; html: string; cookie: string }>;
  readonly formToken: () => Promise<string>;
}

/** A browser, as far as this page is concerned: it keeps its cookie, and says where a form was filled in. */
function openBrowser(): Browser {
  let cookie = '';
  const ask = async (path: string, request: RequestInit) => {
    const headers = { ...(cookie === '' ? {} : { cookie }), ...(request.headers as Record<string, string>) };
    const response = await fetch(origin + path, { redirect: 'manual', ...request, headers });
    const set = response.headers.get('set-cookie') ?? '';
    if (set !== '') cookie = set.split(';')[0] ?? '';
    return { status: response.status, headers: response.headers, html: await response.text(), cookie: set };
  };
  const get: Browser['get'] = (path = '/approve') => ask(path, {});
  return {
    get,
    send: (path, form, headers = {}) => {
      const all = { origin, 'content-type': 'application/x-www-form-urlencoded', ...headers };
      const sent = Object.entries(all).filter((header): header is [string, string] => header[1] !== undefined);
      return ask(path, {
        method: 'POST',
        headers: Object.fromEntries(sent),
        body: new URLSearchParams(form).toString(),
      });
    },
    formToken: async () => /name="form_token" value="([^"]+)"/.exec((await get()).html)?.[1] ?? 'none',
  };
}

async function signedIn(): Promise<Browser> {
  const browser = openBrowser();
  expect((await browser.send('/approve/sign-in', { secret: place.secret })).status).toBe(303);
  return browser;
}

describe('a person on the page', () => {
  it('signs in, sees the exact change, approves, and it is sent at once', async () => {
    const id = await propose();
    const browser = await signedIn();
    const { html } = await browser.get();
    expect(html).toContain('Signed in as <strong>ann</strong>');
    expect(html).toContain(`bid: 0.1 -&gt; ${amount}`);
    expect(html).toContain('token of bob');
    expect(html).toMatch(/api\/campaign\/edit: key=\*\*\* format=json campaignid=1 bid=/);
    const form = { form_token: await browser.formToken(), proposal: id, verdict: 'yes' };
    expect((await browser.send('/approve/decide', form)).status).toBe(303);
    expect(tracker.writes()).toHaveLength(1);
    expect((await browser.get()).html).toMatch(new RegExp(`Proposal ${id} \\(edit_campaign\\), decided by ann: done`));
    const { writes: audited } = await readAuditLog(auditLog);
    expect(audited.at(-1)).toMatchObject({ owner: 'bob', approver: 'ann', proposal: id, outcome: 'ok' });
    campaign.Bid = '0.10';
  });

  it('rejects, and nothing is sent', async () => {
    const id = await propose();
    const browser = await signedIn();
    await browser.send('/approve/decide', { form_token: await browser.formToken(), proposal: id, verdict: 'no' });
    expect(await stateOf(id)).toBe('rejected');
    expect(tracker.writes()).toEqual([]);
  });

  it('is told where what they decide about waits no more', async () => {
    const id = await propose();
    const browser = await signedIn();
    const form = { form_token: await browser.formToken(), proposal: id, verdict: 'no' };
    await browser.send('/approve/decide', form);
    const again = await browser.send('/approve/decide', { ...form, verdict: 'yes' });
    expect([again.status, again.html]).toEqual([409, expect.stringContaining('waits no more')]);
    expect(tracker.writes()).toEqual([]);
  });

  it('signs out, and the cookie is worth nothing any more', async () => {
    const id = await propose();
    const browser = await signedIn();
    const form_token = await browser.formToken();
    const cookie = (await browser.send('/approve/sign-out', { form_token })).cookie;
    expect(cookie).toContain('Max-Age=0');
    const later = await browser.send('/approve/decide', { form_token, proposal: id, verdict: 'yes' });
    expect(later.status).toBe(403);
    expect(await stateOf(id)).toBe('waiting');
  });
});

describe('nothing is decided by', () => {
  it('a GET, signed in or not, whatever it says', async () => {
    const id = await propose();
    const browser = await signedIn();
    const query = `form_token=${await browser.formToken()}&proposal=${id}&verdict=yes&secret=${place.secret}`;
    for (const path of ['/approve', '/approve/decide', '/approve/sign-in', `/approve/${id}`, `/approve/decide/${id}`]) {
      for (const one of [browser, openBrowser()]) await one.get(`${path}?${query}`);
    }
    expect(await stateOf(id)).toBe('waiting');
    expect(tracker.writes()).toEqual([]);
  });

  it('an agent with a bearer token, of whatever access', async () => {
    const id = await propose();
    for (const token of [proposer, writer]) {
      const bearer = { authorization: `Bearer ${token}` };
      const form = { proposal: id, verdict: 'yes', form_token: token, secret: token };
      for (const path of ['/approve/sign-in', '/approve/decide']) {
        expect((await openBrowser().send(path, form, bearer)).status).toBe(403);
      }
      const page = await fetch(`${origin}/approve`, { headers: bearer });
      expect(await page.text()).not.toContain(id);
    }
    expect(await stateOf(id)).toBe('waiting');
  });

  it.each<[string, Readonly<Record<string, string | undefined>>]>([
    ['of another origin', { origin: 'https://evil.example' }],
    ['of an origin whose pages may call the server', { origin: 'https://app.example.com' }],
    ['of another port', { origin: 'http://127.0.0.1:1' }],
    ['that does not say where it was filled in', { origin: undefined }],
    ['in a frame without an origin', { origin: 'null' }],
    ['that a browser calls another site’s', { 'sec-fetch-site': 'cross-site' }],
    ['of another type', { 'content-type': 'text/plain' }],
  ])('a form %s', async (_, headers) => {
    const id = await propose();
    const browser = await signedIn();
    const form = { form_token: await browser.formToken(), proposal: id, verdict: 'yes', secret: place.secret };
    expect((await browser.send('/approve/decide', form, headers)).status).toBe(403);
    expect((await openBrowser().send('/approve/sign-in', form, headers)).status).toBe(403);
    expect(await stateOf(id)).toBe('waiting');
  });

  it('a form to a host that leads here by another name', async () => {
    const asked = request(`${origin}/approve/sign-in`, {
      method: 'POST',
      headers: {
        host: 'evil.example',
        origin: 'http://evil.example',
        'content-type': 'application/x-www-form-urlencoded',
      },
    });
    asked.end(`secret=${place.secret}`);
    const [response] = await once(asked, 'response');
    expect([response.statusCode, response.headers['set-cookie']]).toEqual([403, undefined]);
    response.resume();
  });

  it('a form without the token of the page, or with that of another person', async () => {
    const id = await propose();
    const [browser, stranger] = [await signedIn(), await signedIn()];
    for (const form_token of ['', 'x', await stranger.formToken()]) {
      expect((await browser.send('/approve/decide', { form_token, proposal: id, verdict: 'yes' })).status).toBe(403);
    }
    const odd = { form_token: await browser.formToken(), proposal: id, verdict: 'maybe' };
    expect((await browser.send('/approve/decide', odd)).status).toBe(403);
    expect(await stateOf(id)).toBe('waiting');
  });

  it('a form that is larger than any of the page', async () => {
    const browser = openBrowser();
    const { status } = await browser.send('/approve/sign-in', { secret: place.secret, more: 'x'.repeat(20_000) });
    expect(status).toBe(403);
  });
});

it('the cookie is kept from scripts, other sites and other paths, and every page from frames, scripts and caches', async () => {
  const browser = openBrowser();
  const { cookie } = await browser.send('/approve/sign-in', { secret: place.secret });
  expect(cookie).toMatch(/^tracker_mcp_approver=[\w-]{43}; Path=\/approve; HttpOnly; SameSite=Strict$/);
  for (const path of ['/approve', '/approve/style.css', '/approve/nothing']) {
    const { headers } = await browser.get(path);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('access-control-allow-origin')).toBeNull();
  }
});

it('what a tracker or an agent says is text on the page, and no markup', async () => {
  const evil = '</li><script>alert(1)</script><img src=x onerror=alert(1)>"\'&';
  const { data } = await call(other, 'add_offer', {
    name: evil,
    url: `https://example.com/?${encodeURIComponent(evil)}`,
  });
  expect(data?.proposal?.state).toBe('waiting');
  const { html } = await (await signedIn()).get();
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(html).not.toMatch(/<script|<img/i);
});

it('a secret is in no log and no page, and a wrong one is told as such', async () => {
  const browser = openBrowser();
  const { status, html } = await browser.send('/approve/sign-in', { secret: 'aaaa-bbbb' });
  expect([status, html]).toEqual([403, expect.stringContaining('Nobody who may approve')]);
  expect(logged.join()).toContain('refused a sign-in');
  expect(logged.join()).not.toContain('aaaa-bbbb');
  expect((await (await signedIn()).get()).html).not.toContain(place.secret);
});

describe('a token that may only propose', () => {
  it('has each write wait, within its own limits, though the server asks nobody otherwise', async () => {
    expect((await call(proposer, 'edit_campaign', { campaign_id: 1, bid: 6 })).text).toContain('the token of bob');
    expect((await call(writer, 'edit_campaign', { campaign_id: 1, bid: 0.1 })).data?.done).toBe(true);
    expect((await call(proposer, 'edit_campaign', { campaign_id: 1, bid: 4 })).data?.proposal?.state).toBe('waiting');
    expect(tracker.writes()).toHaveLength(1);
  });

  it('hears of the end of its own proposals alone', async () => {
    const id = await propose();
    await place.decide(id, 'no');
    await writes.look();
    const { data: others } = await call(other, 'edit_campaign', { campaign_id: 1, bid: 0.77 });
    expect(others?.notices.join()).not.toContain(id);
    amount += 0.01;
    const { data: own } = await call(proposer, 'edit_campaign', { campaign_id: 1, bid: Number(amount.toFixed(2)) });
    expect(own?.notices.join()).toContain(`Proposal ${id} (edit_campaign), decided by ann: rejected`);
  });

  it('proposes for itself: a proposal in the name of another token is none', async () => {
    const id = await propose();
    const file = join(place.directory, `${id}.proposal.json`);
    const proposal = JSON.parse(await readFile(file, 'utf8'));
    await writeFile(file, JSON.stringify({ ...proposal, holder: { ...proposal.holder, name: 'carol', limits: {} } }));
    expect(await proposals.find(id)).toBeUndefined();
  });
});

it('the page is served only where writes wait', async () => {
  const without = await startHttp({ url: tracker.url });
  expect((await fetch(new URL('/approve', without.url))).status).toBe(404);
});
