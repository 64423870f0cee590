import type { McpUiHostContext } from '@modelcontextprotocol/ext-apps';
import { element } from './element.ts';
import { connectToHost } from './host.ts';
import { pagesReport } from './pages-report.ts';
import { type Report, readResult } from './result.ts';
import { tablesReport } from './tables-report.ts';

const root = document.documentElement;
const place = document.getElementById('report') ?? document.body;

function show(report: Report): void {
  place.replaceChildren(...render(report));
}

function render(report: Report): readonly Node[] {
  switch (report.kind) {
    case 'tables':
      return tablesReport(report.data);
    case 'pages':
      return pagesReport(report.data);
    case 'text':
      return [element('pre', { class: report.isError && 'error', role: 'status' }, report.text)];
  }
}

/** Takes the host's theme, and its colours and fonts where it has some of its own. */
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
  result: (result) => show(readResult(result)),
  cancelled: () => show({ kind: 'text', text: 'The call was cancelled.', isError: false }),
});
