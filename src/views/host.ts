import type {
  McpUiHostContext,
  McpUiInitializeRequest,
  McpUiInitializeResult,
  McpUiSizeChangedNotification,
} from '@modelcontextprotocol/ext-apps';
import type { ToolResult } from './result.ts';

/** What a host sends to a view. */
export interface HostListener {
  /** Theme and styles, at the start and whenever some of them change. */
  context(context: McpUiHostContext): void;
  result(result: ToolResult): void;
  cancelled(): void;
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

/**
 * Speaks with the host around this page: MCP Apps of 2026-01-26, JSON-RPC over window.postMessage. The extension's own
 * App class brings half a megabyte of schemas with it, for the five messages that a view of results needs.
 */
export function connectToHost(listener: HostListener): void {
  const host = window.parent;
  // The host's origin is not known to a view; nothing secret is sent.
  const send = (message: object) => host.postMessage({ jsonrpc: '2.0', ...message }, '*');
  const onNotification: Readonly<Record<string, (params: unknown) => void>> = {
    'ui/notifications/tool-result': (params) => listener.result(params as ToolResult),
    'ui/notifications/tool-cancelled': () => listener.cancelled(),
    'ui/notifications/host-context-changed': (params) => listener.context(params as McpUiHostContext),
  };
  window.addEventListener('message', ({ source, data }: MessageEvent<Message | undefined>) => {
    if (source !== host || data?.jsonrpc !== '2.0') return;
    const { id, method, params, result } = data;
    if (method === undefined) {
      if (id !== initializeId || result === undefined) return;
      listener.context((result as McpUiInitializeResult).hostContext);
      send({ method: 'ui/notifications/initialized' });
      reportSize((size) => send({ method: 'ui/notifications/size-changed', params: size }));
    } else if (id === undefined) {
      onNotification[method]?.(params);
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

/** Reports the size of the page now and as it changes, so that the host can make room. */
function reportSize(report: (size: McpUiSizeChangedNotification['params']) => void): void {
  let reported = '';
  const observer = new ResizeObserver(() => {
    const height = Math.ceil(document.documentElement.getBoundingClientRect().height);
    const size = { width: Math.ceil(window.innerWidth), height };
    if (reported === JSON.stringify(size)) return;
    reported = JSON.stringify(size);
    report(size);
  });
  observer.observe(document.documentElement);
  observer.observe(document.body);
}

/** The version of this package, filled in where the view is bundled. */
declare const packageVersion: string;
