import { AppBridge, type McpUiHostContext, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

export interface TestHost {
  /** Shows the view in a sandboxed frame, and waits until it is initialized. */
  open(context: McpUiHostContext): Promise<void>;
  result(result: CallToolResult): Promise<void>;
  cancel(): Promise<void>;
  change(context: McpUiHostContext): void;
  /** Asks the view to prepare for removal; resolves when it agrees. */
  tearDown(): Promise<void>;
}

declare global {
  interface Window {
    host: TestHost;
  }
}

let bridge: AppBridge;

window.host = {
  open: async (context) => {
    const frame = document.createElement('iframe');
    frame.title = 'view';
    frame.sandbox.add('allow-scripts');
    document.body.append(frame);
    const view = frame.contentWindow;
    if (!view) throw new Error('The frame has no window.');
    bridge = new AppBridge(null, { name: 'test host', version: '1.0.0' }, {}, { hostContext: context });
    bridge.addEventListener('sizechange', ({ height }) => {
      frame.style.height = `${height}px`;
    });
    const initialized = new Promise<void>((resolve) => bridge.addEventListener('initialized', () => resolve()));
    await bridge.connect(new PostMessageTransport(view, view));
    frame.src = '/view';
    await initialized;
  },
  result: (result) => bridge.sendToolResult(result),
  cancel: () => bridge.sendToolCancelled({ reason: 'user action' }),
  change: (context) => bridge.setHostContext(context),
  tearDown: async () => {
    await bridge.teardownResource({});
  },
};
