import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Failure } from '../api/failure.ts';
import type { JsonRecord, Result } from '../tools/define-tool.ts';
import { blocksKey } from './tools.ts';

/** A running server, as a client sees it. */
export interface ServerConnection {
  readonly toolCount: number;
  /** Throws a Failure with the server's text if the call fails. */
  callTool(name: string, given: Readonly<Record<string, unknown>>): Promise<ServerAnswer>;
  close(): Promise<void>;
}

export interface ServerAnswer {
  readonly blocks: Result['blocks'];
  readonly structured: JsonRecord;
}

/**
 * Starts a server as a process and connects over its standard input and output, as a desktop client does.
 *
 * @param environment added to the few variables that the SDK passes on
 */
export async function startServer(
  command: string,
  args: readonly string[],
  { version, environment }: { version: string; environment: Readonly<Record<string, string>> },
): Promise<ServerConnection> {
  const client = new Client({ name: 'tracker-mcp-demo', version });
  await client.connect(
    new StdioClientTransport({ command, args: [...args], env: { ...getDefaultEnvironment(), ...environment } }),
  );
  const { tools } = await client.listTools();
  return {
    toolCount: tools.length,
    callTool: async (name, given) => {
      const { content, structuredContent, isError, _meta } = await client.callTool({
        ...{ name, arguments: { ...given }, _meta: { [blocksKey]: true } },
      });
      const parts = content as readonly { readonly type: string; readonly text?: string }[];
      if (isError) throw new Failure(parts.map((part) => part.text ?? '').join('\n'));
      const blocks = (_meta?.[blocksKey] ?? []) as Result['blocks'];
      return { blocks, structured: (structuredContent ?? {}) as JsonRecord };
    },
    close: () => client.close(),
  };
}
