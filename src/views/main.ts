import type {
  McpUiHostContext,
  McpUiInitializeRequest,
  McpUiInitializeResult,
  McpUiSizeChangedNotification,
  McpUiToolResultNotification,
} from '@modelcontextprotocol/ext-apps';
import { ownValue } from '../api/text/json.ts';
import type { AccountReview } from '../tools/account-tools.ts';
import type { Explanation } from '../tools/explain/present.ts';
import {
  campaignKey,
  comparedToKey,
  daysBeforeKey,
  type ForView,
  headlineKey,
  openDayKey,
  remarksKey,
} from '../tools/present/for-views.ts';
import type { PresentedTables } from '../tools/present/outputs.ts';
import { changeReport } from './change-report.ts';
import { type ChangedShares, type ComparedPages, pagesReport, sharesReport } from './pages-report.ts';
import { element } from './parts.ts';
import { reviewReport } from './review-report.ts';
import { tablesReport } from './tables-report.ts';

type ToolResult = McpUiToolResultNotification['params'];

const root = document.documentElement;
const container = document.getElementById('report') ?? document.body;

function showText(text: string): void {
  container.replaceChildren(element('pre', { role: 'status' }, text));
}

function showResult(result: ToolResult): void {
  container.replaceChildren(...render(result));
}

/** Recognizes a result by its shape. Failures and results of unknown shape are shown as text. */
function render({ structuredContent: data = {}, content, isError, _meta: meta }: ToolResult): readonly Node[] {
  const has = (list: string) => !isError && Array.isArray(data[list]);
  const name = meta?.[campaignKey];
  const more = {
    campaign: typeof name === 'string' && name !== '' ? name : undefined,
    comparedTo: meta?.[comparedToKey],
    daysBefore: meta?.[daysBeforeKey],
    headline: meta?.[headlineKey],
    openDay: meta?.[openDayKey],
    remarks: meta?.[remarksKey],
  } as ForView;
  if (has('groups') && 'done' in data) return sharesReport(data as ChangedShares, more);
  if (has('tables')) return tablesReport(data as PresentedTables, more);
  if (has('pages')) return pagesReport(data as ComparedPages, more);
  if (has('causes')) return changeReport(data as Explanation, more);
  if (has('findings')) return reviewReport(data as AccountReview, more);
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  if (!isError) return [element('pre', { role: 'status' }, text)];
  const title = element('h1', {}, 'That did not work');
  return [element('section', { class: 'failure', role: 'status' }, title, element('pre', {}, text))];
}

/** Applies the host's theme, colours, fonts and insets. */
function applyContext({ theme, styles, safeAreaInsets: inset }: McpUiHostContext): void {
  if (theme) root.dataset['theme'] = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {})) {
    if (name.startsWith('--') && value !== undefined) root.style.setProperty(name, value);
  }
  if (inset) container.style.padding = `${inset.top}px ${inset.right}px ${inset.bottom}px ${inset.left}px`;
}

interface Message {
  readonly jsonrpc: '2.0';
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
}

const initializeId = 1;
const methodNotFound = -32601;

const onNotification: Readonly<Record<string, (params: unknown) => void>> = {
  'ui/notifications/tool-result': (params) => showResult(params as ToolResult),
  'ui/notifications/tool-cancelled': () => showText('The call was cancelled.'),
  'ui/notifications/host-context-changed': (params) => applyContext(params as McpUiHostContext),
};

/**
 * Connects to the host around this page: MCP Apps of 2026-01-26, JSON-RPC over window.postMessage. The extension's own App class
 * would add half a megabyte of schemas for five messages.
 */
function connectToHost(): void {
  const host = window.parent;
  // A view does not know the host's origin. Nothing secret is sent.
  const send = (message: object) => host.postMessage({ jsonrpc: '2.0', ...message }, '*');
  window.addEventListener('message', ({ source, data }: MessageEvent<Message | undefined>) => {
    if (source !== host || data?.jsonrpc !== '2.0') return;
    const { id, method, params, result } = data;
    if (method === undefined) {
      if (id !== initializeId || result === undefined) return;
      applyContext((result as McpUiInitializeResult).hostContext);
      send({ method: 'ui/notifications/initialized' });
      reportSize((size) => send({ method: 'ui/notifications/size-changed', params: size }));
    } else if (id === undefined) {
      ownValue(onNotification, method)?.(params);
    } else if (method === 'ping' || method === 'ui/resource-teardown') {
      send({ id, result: {} });
    } else {
      send({ id, error: { code: methodNotFound, message: `This view has no method ${method}` } });
    }
  });
  const initialize: McpUiInitializeRequest = {
    method: 'ui/initialize',
    params: {
      appInfo: { name: 'tracker-mcp report', version: packageVersion },
      appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
      protocolVersion: '2026-01-26',
    },
  };
  send({ id: initializeId, ...initialize });
}

/** Reports the size of the page now and whenever it changes, so that the host can make room. */
function reportSize(report: (size: McpUiSizeChangedNotification['params']) => void): void {
  let reported = '';
  const observer = new ResizeObserver(() => {
    const height = Math.ceil(root.getBoundingClientRect().height);
    const size = { width: Math.ceil(window.innerWidth), height };
    if (reported === JSON.stringify(size)) return;
    reported = JSON.stringify(size);
    report(size);
  });
  observer.observe(root);
  observer.observe(document.body);
}

/** The version of this package; the build replaces it. */
declare const packageVersion: string;

showText('Waiting for the tracker…');
connectToHost();
