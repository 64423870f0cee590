import { readRequestBody } from '@modelcontextprotocol/server';
import { type Context, Hono } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { within } from '../../../api/deadline.ts';
import { Failure } from '../../../api/failure.ts';
import type { Proposals } from '../../../guard/proposals/proposals.ts';
import { requestIdHeader } from '../../call-context.ts';
import { isOfThisMachine, type KnownNames, rejectUnknownHosts } from '../gate.ts';
import type { Log, LogFields } from '../monitoring.ts';
import { proposalsPage, signInPage, style } from './pages.ts';
import { isSameText, openSignIns } from './sign-ins.ts';

export interface Approving {
  readonly proposals: Proposals;
  readonly writes: { look(): Promise<void> };
}

const cookie = 'tracker_mcp_approver';

const maxFormBytes = 16 * 1024;

/** How long the page waits for the outcome of a yes; after that it says that it is being sent. */
const maxWaitMs = 10_000;

/** No script, nothing from elsewhere, in no frame; forms lead here alone. */
const headers = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  // Without the origin a browser would not say where a form was filled in.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
};

/**
 * The page at /approve, where people decide about writes that wait for them. Reading it changes nothing; a decision is a POST
 * of a form on it, by a browser that is signed in with an approver's secret. No bearer token is taken here: those are agents'.
 */
export function createApproveApp({ proposals, writes }: Approving, names: KnownNames, log: Log): Hono {
  const signIns = openSignIns(proposals);
  const app = new Hono();
  const logEvent = (event: 'sign_in' | 'decision', context: Context, message: string, fields: LogFields) =>
    log(message, { event, request_id: context.req.header(requestIdHeader), ...fields });
  const signedIn = (context: Context) => signIns.find(getCookie(context, cookie));
  const askSecret = async (context: Context, status: 200 | 403, message?: string) =>
    context.html(signInPage((await proposals.approvers.all()).length > 0, message), status);
  /** The person who is signed in and sent a form of our page, and the form; undefined if it is anything else. */
  const ownForm = async (context: Context) => {
    const [person, form] = [await signedIn(context), await readForm(context)];
    const isOwn = person && form && isSameText(person.formToken, form.get('form_token') ?? '');
    return isOwn ? { approver: person.signer.name, person, form } : undefined;
  };

  app.use('*', async (context, next) => {
    const host = context.req.header('host') ?? '';
    // Only pages of this very server may send a form here, whatever other origins may call.
    const own = { hosts: names.hosts, origins: [`https://${host}`, `http://${host}`], isLocal: false };
    const refused = rejectUnknownHosts(context.req.raw, own);
    if (refused) return refused;
    await next();
    for (const [name, value] of Object.entries(headers)) context.res.headers.set(name, value);
    return undefined;
  });
  app.get('/style.css', (context) => context.body(style, 200, { 'content-type': 'text/css; charset=utf-8' }));
  app.get('/', async (context) => {
    const person = await signedIn(context);
    if (!person) return askSecret(context, 200);
    return context.html(proposalsPage(await proposals.all(), person, { decided: context.req.query('decided') }));
  });
  app.post('/sign-in', async (context) => {
    const secret = (await readForm(context))?.get('secret') ?? '';
    const approver = (await proposals.approvers.signIn(secret))?.name;
    if (approver === undefined) {
      const message = 'refused a sign-in on /approve: no approver has this secret.';
      logEvent('sign_in', context, message, { outcome: 'refused' });
      return askSecret(context, 403, 'Nobody who may approve has this secret.');
    }
    await signIns.end(getCookie(context, cookie));
    setCookie(context, cookie, await signIns.begin(secret), {
      ...{ path: '/approve', httpOnly: true, sameSite: 'Strict' },
      // A page of this machine may be served without TLS.
      secure: !isOfThisMachine(`http://${context.req.header('host')}`),
    });
    logEvent('sign_in', context, `${approver} signed in on /approve.`, { outcome: 'granted', approver });
    return context.redirect('/approve', 303);
  });
  app.post('/sign-out', async (context) => {
    const { approver } = (await ownForm(context)) ?? {};
    if (approver !== undefined) {
      await signIns.end(getCookie(context, cookie));
      logEvent('sign_in', context, `${approver} signed out on /approve.`, { outcome: 'ended', approver });
    }
    deleteCookie(context, cookie, { path: '/approve' });
    return context.redirect('/approve', 303);
  });
  app.post('/decide', async (context) => {
    const { approver, person, form } = (await ownForm(context)) ?? {};
    const verdict = (['yes', 'no'] as const).find((known) => known === form?.get('verdict'));
    if (!person || !verdict) {
      const message = 'refused a decision on /approve: it came from no form of a person who is signed in.';
      logEvent('decision', context, message, { outcome: 'refused', approver });
      return askSecret(context, 403, 'Nothing was decided: sign in first.');
    }
    const { id } = await proposals.decide(form?.get('proposal') ?? '', person.signer, verdict);
    const outcome = verdict === 'yes' ? 'approved' : 'rejected';
    const message = `${approver} ${outcome} proposal ${id} on /approve.`;
    logEvent('decision', context, message, { outcome, approver, proposal: id });
    // What takes longer than the page waits goes on being sent.
    await within(maxWaitMs, (deadline) => deadline.during(writes.look())).catch(() => undefined);
    return context.redirect(`/approve?decided=${id}`, 303);
  });
  app.notFound((context) => context.text('Nothing is served here; /approve is the page.', 404));
  app.onError(async (error, context) => {
    if (!(error instanceof Failure)) throw error;
    const person = await signedIn(context).catch(() => undefined);
    if (context.req.path === '/approve/decide') {
      const message = `refused a decision on /approve: ${error.message}`;
      logEvent('decision', context, message, { outcome: 'refused', approver: person?.signer.name });
    }
    if (!person) return context.text(error.message, 503);
    return context.html(proposalsPage(await proposals.all(), person, { problem: error.message }), 409);
  });
  return app;
}

/** A form that a page of ours sent: browsers name the origin with each POST, so one without it comes from no page. */
async function readForm({ req: { raw: request } }: Context): Promise<URLSearchParams | undefined> {
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(request.headers.get('content-type') ?? '');
  const isElsewhere = (request.headers.get('sec-fetch-site') ?? 'same-origin') !== 'same-origin';
  if (!isForm || isElsewhere || request.headers.get('origin') === null) return undefined;
  const body = await readRequestBody(request, maxFormBytes);
  return body.tooLarge ? undefined : new URLSearchParams(body.text);
}
