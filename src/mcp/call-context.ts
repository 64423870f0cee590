import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { CallContext } from '../tools/define-tool.ts';

/** What the handler of a request works with. */
export type ContextOf = (request: { readonly requestId: RequestId; readonly signal: AbortSignal }) => CallContext;
