import { html as markup, raw } from 'hono/html';
import { describeProposal } from '../../answer/proposals.ts';
import { textFor } from '../../api/text/destinations.ts';
import { isOpen, type ProposalStatus } from '../../guard/proposals.ts';
import { proposalLine } from '../../tools/get-proposal.ts';

type Markup = ReturnType<typeof markup>;
type Value = string | Markup | readonly Value[];

/** A piece of the page. Each text in it is written as words for HTML, because it may come from a tracker or an agent. */
function html(pieces: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return markup(pieces, ...values.map(written));
}

function written(value: Value): unknown {
  if (typeof value === 'string') return raw(textFor('html', value));
  return Array.isArray(value) ? value.map(written) : value;
}

/** @param again where the page looks again by itself; absent if it does not */
const page = (content: Markup, message = '', again?: string): Markup => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${again === undefined ? '' : html`<meta http-equiv="refresh" content="5; url=${again}">`}
<title>Approve writes</title>
<link rel="stylesheet" href="/approve/style.css">
</head>
<body>
<main>
<h1>Writes that wait for a person</h1>
${message === '' ? '' : html`<p role="status">${message}</p>`}
${content}
</main>
</body>
</html>`;

export function signInPage(hasApprovers: boolean, message?: string): Markup {
  const advice = html`<p>There is no approver yet: <code>tracker-mcp approver add NAME</code> adds one.</p>`;
  const form = html`<form method="post" action="/approve/sign-in">
<input name="username" autocomplete="username" value="tracker-mcp approver" readonly hidden>
<label for="secret">Your approver’s secret</label>
<input id="secret" name="secret" type="password" autocomplete="current-password" required autofocus>
<button class="primary">Sign in</button>
</form>`;
  return page(hasApprovers ? form : advice, message);
}

const maxEnded = 20;

/** In the address of a page that was asked for by the page, not by a person. */
export const byItself = 'again';

/**
 * The open proposals with buttons, and the latest that ended. On top is the outcome of the proposal `decided`, or the problem with a
 * decision.
 */
export function proposalsPage(
  proposals: readonly ProposalStatus[],
  { signer, formToken }: { readonly signer: { readonly name: string }; readonly formToken: string },
  { decided, problem }: { readonly decided?: string | undefined; readonly problem?: string } = {},
): Markup {
  const open = proposals.filter(isOpen);
  const ended = proposals.filter((status) => !isOpen(status)).slice(0, maxEnded);
  const latest = proposals.find(({ proposal }) => proposal.id === decided);
  const outcomeOf = ({ state, summary, message }: ReturnType<typeof describeProposal>) =>
    `Proposal ${state}: ${summary.join('; ')}. ${message}`;
  const endedItem = (status: ProposalStatus) =>
    html`<li>${describeProposal(status).summary.join('; ')}<br><small>${proposalLine(status)}</small></li>`;
  return page(
    html`${open.length === 0 ? html`<p>Nothing waits.</p>` : open.map((status) => openProposal(status, formToken))}
${ended.length === 0 ? '' : html`<h2>Decided</h2><ul>${ended.map(endedItem)}</ul>`}
<form method="post" action="/approve/sign-out" class="who">
Signed in as <strong>${signer.name}</strong>
<input type="hidden" name="form_token" value="${formToken}">
<button>Sign out</button>
</form>`,
    problem ?? (latest && outcomeOf(describeProposal(latest))),
    open.some(({ state }) => state !== 'waiting')
      ? `/approve?${new URLSearchParams({ ...(decided === undefined ? {} : { decided }), [byItself]: '1' })}`
      : undefined,
  );
}

function openProposal(status: ProposalStatus, formToken: string): Markup {
  const { id, state, summary, expires, facts, steps, effect } = describeProposal(status);
  const decisionForm = html`<form method="post" action="/approve/decide">
<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="proposal" value="${id}">
<button name="verdict" value="yes" class="primary">Approve: this changes live traffic</button>
<button name="verdict" value="no">Reject</button>
</form>`;
  return html`<article>
<h2>${summary.map((line) => html`${line}<br>`)}</h2>
${expires === undefined ? '' : html`<p>${expires}</p>`}
${effect.length === 0 ? '' : html`<p>${effect.map((line) => html`${line}<br>`)}</p>`}
<dl>${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${steps.map(({ title, values }) => html`<h3>${title}</h3><ul>${values.map((value) => html`<li>${value}</li>`)}</ul>`)}
<details><summary>Exactly what is sent</summary>${steps.map(({ request }) => html`<pre>${request}</pre>`)}</details>
${status.state === 'waiting' ? decisionForm : ''}
<p><small>Proposal ${id}: ${state}</small></p>
</article>`;
}

export const style = `body{font:16px/1.5 system-ui,sans-serif;margin:0;color:#1b1f24;background:#f4f5f7}
main{max-width:48rem;margin:0 auto;padding:1.5rem}
article,main>form:not(.who){background:#fff;border:1px solid #c8ccd2;border-radius:8px;padding:1rem 1.25rem;margin:1rem 0}
h2{font-size:1.1rem;margin:0 0 .5rem}h3{font-size:1rem;margin:1rem 0 .25rem}
dl div{display:flex;gap:.5rem}dt{min-width:7rem;color:#57606a}dd{margin:0;overflow-wrap:anywhere}
ul{padding-left:1.25rem}li,p,pre{overflow-wrap:anywhere;white-space:pre-wrap}pre{background:#f4f5f7;padding:.5rem;border-radius:4px}
small{color:#57606a}h2:not(article h2){margin-top:2rem}.who{margin-top:2rem;font-size:.9rem}.who button{background:none;border:0;text-decoration:underline}
label{display:block}input[type=password]{font:inherit;width:100%;box-sizing:border-box;padding:.4rem;margin:.25rem 0 .75rem}
button{font:inherit;padding:.4rem .9rem;margin-right:.5rem;border:1px solid #c8ccd2;border-radius:6px;background:none;color:inherit;cursor:pointer}
button.primary{background:#0b5cad;border-color:#0b5cad;color:#fff}
[role=status]{background:#fff8c5;border:1px solid #d4a72c;border-radius:8px;padding:.5rem 1rem;font-weight:600}
@media (prefers-color-scheme:dark){body{color:#e6e8eb;background:#16181c}article,main>form:not(.who){background:#1f2227;border-color:#3b4048}
pre{background:#16181c}dt,small{color:#9aa2ad}[role=status]{background:#3b3413;border-color:#8a6d1a}}
`;
