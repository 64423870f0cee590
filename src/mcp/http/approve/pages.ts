import { html } from 'hono/html';
import { isOpen, type KnownProposal } from '../../../guard/proposals/proposals.ts';
import { describeProposal, proposalLine } from '../../../tools/present/proposal.ts';

type Markup = ReturnType<typeof html>;

/** Every value in a template is escaped by `html`; what came from a tracker or an agent is clean text besides. */
const page = (content: Markup, message = ''): Markup => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Approve writes</title>
<link rel="stylesheet" href="/approve/style.css">
</head>
<body>
<main>
<h1>Writes that wait for a person</h1>
${message === '' ? '' : html`<p role="alert">${message}</p>`}
${content}
</main>
</body>
</html>`;

/** Where an approver gives their secret. */
export function signInPage(hasApprovers: boolean, message?: string): Markup {
  const nobody = html`<p>Nobody may approve yet: <code>tracker-mcp approver add NAME</code> makes an approver.</p>`;
  const form = html`<form method="post" action="/approve/sign-in">
<input name="username" autocomplete="username" value="tracker-mcp approver" readonly hidden>
<label for="secret">Your approver’s secret</label>
<input id="secret" name="secret" type="password" autocomplete="current-password" required autofocus>
<button>Sign in</button>
</form>`;
  return page(hasApprovers ? form : nobody, message);
}

/** What waits, with the buttons that decide, and what became of the rest. */
export function proposalsPage(
  proposals: readonly KnownProposal[],
  { name, formToken }: { readonly name: string; readonly formToken: string },
  message?: string,
): Markup {
  const open = proposals.filter(isOpen);
  const ended = proposals.filter((known) => !isOpen(known)).slice(0, maxEnded);
  return page(
    html`<form method="post" action="/approve/sign-out" class="who">
Signed in as <strong>${name}</strong>
<input type="hidden" name="form_token" value="${formToken}">
<button>Sign out</button>
</form>
${open.length === 0 ? html`<p>Nothing waits.</p>` : open.map((known) => proposal(known, formToken))}
${ended.length === 0 ? '' : html`<h2>Decided</h2><ul>${ended.map((known) => html`<li>${proposalLine(known)}</li>`)}</ul>`}`,
    message,
  );
}

const maxEnded = 20;

function proposal(known: KnownProposal, formToken: string): Markup {
  const { id, state, facts, steps, effect } = describeProposal(known);
  return html`<article id="${id}">
<h2>${id}: ${state}</h2>
<dl>${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${steps.map(
  ({ title, values, request }) => html`<h3>${title}</h3>
<ul>${values.map((value) => html`<li>${value}</li>`)}</ul>
<pre>${request}</pre>`,
)}
${effect.length === 0 ? '' : html`<h3>Effect</h3><ul>${effect.map((line) => html`<li>${line}</li>`)}</ul>`}
${known.state === 'waiting' ? decisionForm(id, formToken) : ''}
</article>`;
}

function decisionForm(id: string, formToken: string): Markup {
  return html`<form method="post" action="/approve/decide">
<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="proposal" value="${id}">
<button name="verdict" value="yes">Approve: this changes live traffic</button>
<button name="verdict" value="no">Reject</button>
</form>`;
}

export const style = `body{font:16px/1.5 system-ui,sans-serif;margin:0;color:#1b1f24;background:#f4f5f7}
main{max-width:48rem;margin:0 auto;padding:1.5rem}
article,main>form:not(.who){background:#fff;border:1px solid #c8ccd2;border-radius:8px;padding:1rem 1.25rem;margin:1rem 0}
h2{font-size:1.1rem;margin:0 0 .5rem}h3{font-size:1rem;margin:1rem 0 .25rem}
dl div{display:flex;gap:.5rem}dt{min-width:7rem;color:#57606a}dd{margin:0;overflow-wrap:anywhere}
li,pre{overflow-wrap:anywhere;white-space:pre-wrap}pre{background:#f4f5f7;padding:.5rem;border-radius:4px}
label{display:block}input[type=password]{font:inherit;width:100%;box-sizing:border-box;padding:.4rem;margin:.25rem 0 .75rem}
button{font:inherit;padding:.4rem .9rem;margin-right:.5rem}
[role=alert]{background:#fff8c5;border:1px solid #d4a72c;border-radius:8px;padding:.5rem 1rem}
@media (prefers-color-scheme:dark){body{color:#e6e8eb;background:#16181c}article,main>form:not(.who){background:#1f2227;border-color:#3b4048}
pre{background:#16181c}dt{color:#9aa2ad}[role=alert]{background:#3b3413;border-color:#8a6d1a}}
`;
