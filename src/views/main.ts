import type { McpUiHostContext } from '@modelcontextprotocol/ext-apps';
import type { DaysBefore } from '../tools/present/for-views.ts';

import { changeReport } from './change-report.ts';
import { connectToHost } from './host.ts';
import { pagesReport } from './pages-report.ts';
import { element } from './parts.ts';
import { campaignOf, daysBeforeOf, type Report, readResult } from './result.ts';
import { reviewReport } from './review-report.ts';
import { sharesReport } from './shares-report.ts';
import { tablesReport } from './tables-report.ts';

const root = document.documentElement;
const place = document.getElementById('report') ?? document.body;

function show(report: Report, campaign?: string, daysBefore?: DaysBefore): void {
  place.replaceChildren(...render(report, campaign, daysBefore));
}

function render(report: Report, campaign: string | undefined, daysBefore: DaysBefore | undefined): readonly Node[] {
  switch (report.kind) {
    case 'tables':
      return tablesReport(report.data, campaign, daysBefore);
    case 'pages':
      return pagesReport(report.data, campaign);
    case 'shares':
      return sharesReport(report.data, campaign);
    case 'change':
      return changeReport(report.data, campaign);
    case 'review':
      return reviewReport(report.data);
    case 'text':
      return report.isError ? failure(report.text) : [element('pre', { role: 'status' }, report.text)];
  }
}

function failure(text: string): readonly Node[] {
  const title = element('h1', {}, 'That did not work');
  return [element('section', { class: 'failure', role: 'status' }, title, element('pre', {}, text))];
}

/** Applies the host's theme, and its colours and fonts if it sends some. */
function applyContext({ theme, styles, safeAreaInsets: inset }: McpUiHostContext): void {
  if (theme) root.dataset['theme'] = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {})) {
    if (name.startsWith('--') && value !== undefined) root.style.setProperty(name, value);
  }
  if (inset) place.style.padding = `${inset.top}px ${inset.right}px ${inset.bottom}px ${inset.left}px`;
}

show({ kind: 'text', text: 'Waiting for the tracker…', isError: false });
connectToHost({
  context: applyContext,
  result: (result) => show(readResult(result), campaignOf(result), daysBeforeOf(result)),
  cancelled: () => show({ kind: 'text', text: 'The call was cancelled.', isError: false }),
});
