import { createHmac, randomBytes } from 'node:crypto';
import { readRequestBody } from '@modelcontextprotocol/server';
import { type Context, Hono } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { timingSafeEqual } from 'hono/utils/buffer';
import { EncryptJWT, jwtDecrypt } from 'jose';
import * as z from 'zod';
import { within } from '../../api/deadline.ts';
import { hourMs } from '../../api/durations.ts';
import { Failure } from '../../api/failure.ts';
import { toPlainLetters } from '../../guard/approval.ts';
import type { Proposals } from '../../guard/proposals.ts';
import { requestIdHeader } from '../call-context.ts';
import { byItself, proposalsPage, signInPage, style } from './approve-pages.ts';
import { isOfThisMachine, type KnownNames, rejectUnknownHosts } from './gate.ts';
import type { Log, LogFields } from './monitoring.ts';

export interface Approving {
  readonly proposals: Proposals;
  readonly writes: { look(): Promise<void> };
}

const cookie = 'tracker_mcp_approver';

const maxFormBytes = 16 * 1024;

/** How long the page waits for the outcome of a yes before it shows that it is being sent. */
const maxWaitMs = 10_000;

/** No scripts, nothing from other sites, no frames; forms can only be sent here. */
const headers = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  // Browsers then send the origin with a form.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
};

/**
 * The page at /approve, where people decide about writes that wait. A decision is a POST of a form on the page, by a browser that is
 * signed in with an approver's secret. A GET changes nothing. Bearer tokens are not accepted here, because agents have them.
 */
export function createApproveApp({ proposals, writes }: Approving, names: KnownNames, log: Log): Hono {
  const signIns = openSignIns(proposals);
  const app = new Hono();
  const logEvent = (event: 'sign_in' | 'decision', context: Context, message: string, fields: LogFields) =>
    log(message, { event, request_id: context.req.header(requestIdHeader), ...fields });
  const signedIn = (context: Context) =>
    signIns.find(getCookie(context, cookie), context.req.query(byItself) === undefined);
  const askSecret = async (context: Context, status: 200 | 403, message?: string) =>
    context.html(signInPage((await proposals.approvers.all()).length > 0, message), status);
  /** The signed-in person and the form that they sent from this page; undefined for any other request. */
  const ownForm = async (context: Context) => {
    const [person, form] = [await signedIn(context), await readForm(context)];
    const isOwn = person && form && (await timingSafeEqual(person.formToken, form.get('form_token') ?? ''));
    return isOwn ? { ...person, form } : undefined;
  };

  app.use('*', async (context, next) => {
    const host = context.req.header('host') ?? '';
    // Only pages of this server may send a form here, even if other origins may call the server.
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
  // A browser opens a restored tab, or the address in its bar, with a GET, also where a form was refused.
  app.on('GET', ['/sign-in', '/sign-out', '/decide'], (context) => context.redirect('/approve', 303));
  app.post('/sign-in', async (context) => {
    const secret = (await readForm(context))?.get('secret') ?? '';
    const approver = (await proposals.approvers.signIn(secret))?.name;
    if (approver === undefined) {
      const message = 'refused a sign-in on /approve: no approver has this secret.';
      logEvent('sign_in', context, message, { outcome: 'refused' });
      return askSecret(context, 403, 'No approver has this secret.');
    }
    await signIns.end(getCookie(context, cookie));
    setCookie(context, cookie, await signIns.begin(secret), {
      ...{ path: '/approve', httpOnly: true, sameSite: 'Strict' },
      // On this machine the page may be served without TLS.
      secure: !isOfThisMachine(`http://${context.req.header('host')}`),
    });
    logEvent('sign_in', context, `${approver} signed in on /approve.`, { outcome: 'granted', approver });
    return context.redirect('/approve', 303);
  });
  app.post('/sign-out', async (context) => {
    const approver = (await ownForm(context))?.signer.name;
    if (approver !== undefined) {
      await signIns.end(getCookie(context, cookie));
      logEvent('sign_in', context, `${approver} signed out on /approve.`, { outcome: 'ended', approver });
    }
    deleteCookie(context, cookie, { path: '/approve' });
    return context.redirect('/approve', 303);
  });
  app.post('/decide', async (context) => {
    const { signer, form } = (await ownForm(context)) ?? {};
    const verdict = (['yes', 'no'] as const).find((value) => value === form?.get('verdict'));
    if (!signer || !verdict) {
      const message = 'refused a decision on /approve: the form is not from a person who is signed in.';
      logEvent('decision', context, message, { outcome: 'refused', approver: signer?.name });
      return askSecret(context, 403, 'Nothing was decided: sign in first.');
    }
    const { id } = await proposals.decide(form?.get('proposal') ?? '', signer, verdict);
    const outcome = verdict === 'yes' ? 'approved' : 'rejected';
    const message = `${signer.name} ${outcome} proposal ${id} on /approve.`;
    logEvent('decision', context, message, { outcome, approver: signer.name, proposal: id });
    // Sending continues if it takes longer.
    await within(maxWaitMs, (deadline) => deadline.during(writes.look())).catch(() => undefined);
    return context.redirect(`/approve?decided=${id}`, 303);
  });
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

/** The form in a request from this page. Browsers send the origin with each POST, so a request without it is not from a page. */
async function readForm({ req: { raw: request } }: Context): Promise<URLSearchParams | undefined> {
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(request.headers.get('content-type') ?? '');
  const isElsewhere = (request.headers.get('sec-fetch-site') ?? 'same-origin') !== 'same-origin';
  if (!isForm || isElsewhere || request.headers.get('origin') === null) return undefined;
  const body = await readRequestBody(request, maxFormBytes);
  return body.tooLarge ? undefined : new URLSearchParams(body.text);
}

/** Sign-ins end after this time without a click. */
const maxIdleMs = 15 * 60_000;
const maxAgeMs = 2 * hourMs;

/** Each sign-in deletes old ones. Others may have filled the directory with files that only look like them. */
const maxEndedAtOnce = 200;

/** The last use is stored at most this often. */
const useIntervalMs = 60_000;

const signInFile = z.strictObject({ usedAt: z.number(), sealed: z.string() });

/**
 * The sign-ins on the page, at every server that shares the files. The browser has a random token; a file has the approver's secret,
 * encrypted with that token. Neither is of use alone, and signing out deletes the file.
 */
export function openSignIns({ files, approvers, now }: Proposals) {
  const end = (token = '') => files.remove(fileIdOf(token));
  /** Reads the file of a sign-in. Returns undefined, and deletes it, if it was idle for too long or is invalid. */
  const read = async (id: string) => {
    const content = await files.read(id, 'sign-in');
    if (content === undefined) return undefined;
    const { data } = signInFile.safeParse(content);
    if (data && now().getTime() - data.usedAt <= maxIdleMs) return data;
    await files.remove(id);
    return undefined;
  };
  return {
    end,
    /** Returns the token of a new sign-in. */
    begin: async (secret: string): Promise<string> => {
      for (const id of [...(await files.ids('sign-in'))].slice(0, maxEndedAtOnce)) await read(id);
      const token = randomBytes(32).toString('base64url');
      const sealed = await new EncryptJWT({ secret })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setExpirationTime(new Date(now().getTime() + maxAgeMs))
        .encrypt(derive(token, 'seal'));
      await files.write(fileIdOf(token), 'sign-in', { usedAt: now().getTime(), sealed });
      return token;
    },
    /**
     * Returns the signer of a signed-in approver, and the token for forms, which other sites cannot know; undefined if the sign-in
     * does not exist or has ended, or the approver was removed.
     *
     * @param isUse whether it is the person who asks
     */
    find: async (token = '', isUse = true) => {
      const data = await read(fileIdOf(token));
      if (!data) return undefined;
      const opened = jwtDecrypt(data.sealed, derive(token, 'seal'), { currentDate: now() });
      const secret = await opened.then(({ payload }) => String(payload['secret'])).catch(() => '');
      const signer = await approvers.signIn(secret);
      if (!signer) {
        await end(token);
        return undefined;
      }
      const isStored = now().getTime() - data.usedAt <= useIntervalMs;
      if (isUse && !isStored) await files.write(fileIdOf(token), 'sign-in', { ...data, usedAt: now().getTime() });
      return { signer, formToken: derive(token, 'form').toString('base64url') };
    },
  };
}

/** A value that can be made from the token, and does not reveal it. */
function derive(token: string, use: 'id' | 'seal' | 'form'): Buffer {
  return createHmac('sha256', token).update(`tracker-mcp sign-in ${use}`).digest();
}

function fileIdOf(token: string): string {
  return toPlainLetters(derive(token, 'id')).slice(0, 12);
}
