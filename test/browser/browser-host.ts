import { createServer } from 'node:http';
import type { McpUiHostContext } from '@modelcontextprotocol/ext-apps/app-bridge';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { build } from 'esbuild';
import { type Browser, type BrowserContextOptions, chromium, type FrameLocator, type Page } from 'playwright-core';
import { findBrowser } from '../../build/programs.js';
import { listening } from '../support/listening.ts';

/** The policy that MCP Apps has hosts apply to a view that declares no domains. */
const hostPolicy =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'";

const hostPage =
  '<!doctype html><html lang="en"><title>host</title><link rel="icon" href="data:,"><style>body { margin: 0 } iframe { display: block; width: 100%; border: 0 }</style><body><script src="/host.js"></script></body></html>';

export interface BrowserHost {
  /** Shows the view in a clean page. */
  show(context?: McpUiHostContext, options?: BrowserContextOptions): Promise<ShownView>;
  close(): Promise<void>;
}

export interface ShownView {
  readonly page: Page;
  readonly view: FrameLocator;
  /** Requested paths on the host's origin, and full URLs elsewhere. */
  readonly requests: readonly string[];
  /** Errors in the page, violations of its policy included. */
  readonly errors: readonly string[];
  result(result: Partial<CallToolResult>): Promise<void>;
  /** Gives the page back, and stops recording. */
  done(): Promise<void>;
}

/** Serves a host of the extension's own bridge on loopback, with the view in a sandboxed frame, to a headless Chromium. */
export async function startBrowserHost(viewHtml: string): Promise<BrowserHost> {
  const { outputFiles } = await build({
    entryPoints: ['test/browser/host-page.ts'],
    bundle: true,
    write: false,
    format: 'iife',
    logLevel: 'warning',
  });
  const served: Readonly<Record<string, { type: string; body: string; policy?: string }>> = {
    '/': { type: 'text/html', body: hostPage },
    '/host.js': { type: 'text/javascript', body: outputFiles[0]?.text ?? '' },
    '/view': { type: 'text/html', body: viewHtml, policy: hostPolicy },
  };
  const server = createServer((request, response) => {
    const { type, body, policy } = served[request.url ?? ''] ?? { type: 'text/plain', body: '' };
    response.setHeader('content-type', `${type}; charset=utf-8`);
    if (policy) response.setHeader('content-security-policy', policy);
    response.end(body);
  });
  const origin = await listening(server);
  const browser = await launch();
  /** Pages for reuse, by their options: a new one takes longer than a test. */
  const idle = new Map<string, Page[]>();
  return {
    show: async (context = {}, options = {}) => {
      const key = JSON.stringify(options);
      const alike = idle.get(key) ?? [];
      idle.set(key, alike);
      const page = alike.pop() ?? (await newPage(browser, options));
      return show(page, origin, context, async () => {
        // Resets hover effects.
        await page.mouse.move(0, 0);
        alike.push(page);
      });
    },
    close: async () => {
      await browser.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function launch(): Promise<Browser> {
  const executablePath = findBrowser();
  if (executablePath === undefined) {
    throw new Error('There is no Chromium or Chrome. Install one, or name it with CHROME_PATH.');
  }
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ],
  });
}

function newPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  return browser.newPage({ viewport: { width: 860, height: 900 }, ...options });
}

async function show(
  page: Page,
  origin: string,
  context: McpUiHostContext,
  giveBack: () => Promise<void>,
): Promise<ShownView> {
  const requests: string[] = [];
  const errors: string[] = [];
  page.on('request', (request) => requests.push(request.url().replace(origin, '')));
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') errors.push(message.text());
  });
  await page.goto(origin);
  await page.evaluate((given) => window.host.open(given), context);
  return {
    page,
    view: page.frameLocator('iframe'),
    requests,
    errors,
    result: (result) => page.evaluate((given) => window.host.result(given), { content: [], ...result }),
    done: async () => {
      await page.removeAllListeners(undefined, { behavior: 'wait' });
      await giveBack();
    },
  };
}
