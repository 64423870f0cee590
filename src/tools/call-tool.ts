import { Failure } from '../api/failure.ts';
import { checkArguments } from './check-arguments.ts';
import type { CallContext, Tool, ToolResult } from './define-tool.ts';

/**
 * Calls a tool the way every caller does: the guard asked whether it is offered, arguments checked, the tool run, and the key
 * of the tracker kept out of what comes back.
 *
 * @param given the arguments as they came, of any shape
 * @throws Failure that says what happened and what to do
 */
export async function callTool(tool: Tool, given: unknown, context: CallContext): Promise<ToolResult> {
  context.guard.checkOffered(tool);
  try {
    return context.client.withoutKey(await tool.run(checkArguments(tool, given), context));
  } catch (error) {
    if (error instanceof Failure) error.message = context.client.withoutKey(error.message);
    throw error;
  }
}
