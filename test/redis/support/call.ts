import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';
import { clientHeaders, jsonIn } from '../../support/messages.ts';

export interface Result {
  readonly resultType?: string;
  readonly requestState?: string;
  readonly isError?: boolean;
  readonly content?: readonly { readonly text: string }[];
  readonly structuredContent?: { readonly [name: string]: unknown };
}

export interface Reply {
  readonly status: number;
  readonly result?: Result;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

const protocol = '2026-07-28';

/**
 * Calls a tool over HTTP as a client of the newer protocol that can ask its user.
 *
 * @param answered the state of a question, and the person's answer
 */
export async function callTool(url: string, name: string, given: object = {}, answered: object = {}): Promise<Reply> {
  const meta = {
    [PROTOCOL_VERSION_META_KEY]: protocol,
    [CLIENT_INFO_META_KEY]: { name: 'raw', version: '1' },
    [CLIENT_CAPABILITIES_META_KEY]: { elicitation: {} },
  };
  const params = { name, arguments: given, ...answered, _meta: meta };
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      ...clientHeaders,
      'mcp-protocol-version': protocol,
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  return { status: response.status, ...jsonIn(await response.text()) };
}

/** The text of a tool's answer, or why it was not called. */
export function textOf({ result, error }: Reply): string {
  return result?.content?.[0]?.text ?? error?.message ?? '';
}

/** Whether a tool succeeded. */
export function worked({ result }: Reply): boolean {
  return result !== undefined && result.isError !== true && result.structuredContent !== undefined;
}

/** Waits for a condition. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 20));
}
