import { ProtocolError, ProtocolErrorCode, parseJSONRPCMessage } from '@modelcontextprotocol/server';

/** No message of this protocol needs more; the SDK's own transports have the same limit. */
const maxMessageBytes = 10 * 1024 * 1024;

const newline = 0x0a;

/** Cuts bytes as they arrive into lines, and holds at most one unfinished line of limited size. */
export class MessageLines {
  #parts: Buffer[] = [];
  #size = 0;
  #isSkipping = false;

  /** The lines that these bytes complete, without empty ones; undefined stands for one that was too long. */
  *take(bytes: Buffer): Generator<string | undefined> {
    let start = 0;
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      yield* this.#finish(bytes.subarray(start, end));
      start = end + 1;
    }
    const rest = bytes.subarray(start);
    if (this.#isSkipping || rest.length === 0) return;
    this.#size += rest.length;
    if (this.#size <= maxMessageBytes) {
      this.#parts.push(rest);
      return;
    }
    this.#clear();
    this.#isSkipping = true;
    yield undefined;
  }

  /** The last line, if the input ended without a line break. */
  *rest(): Generator<string | undefined> {
    yield* this.#finish(Buffer.alloc(0));
  }

  *#finish(end: Buffer): Generator<string | undefined> {
    const wasSkipping = this.#isSkipping;
    this.#isSkipping = false;
    const whole = this.#parts.length === 0 ? end : Buffer.concat([...this.#parts, end]);
    const line = whole.length > maxMessageBytes ? undefined : whole.toString();
    this.#clear();
    if (!wasSkipping && line?.trim() !== '') yield line;
  }

  #clear(): void {
    this.#parts = [];
    this.#size = 0;
  }
}

/** The schemas of messages are recursive, so that a message nested by the thousand would exhaust the stack. */
const maxDepth = 64;

/**
 * Reads one message of JSON, of whatever shape; undefined if it is not JSON, an error if it is nothing that any method takes.
 */
export function parseMessage(text: string): { readonly content: unknown } | ProtocolError | undefined {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return undefined;
  }
  // Each message of a batch would need what is checked at the door checked again.
  if (Array.isArray(content)) return invalid('Batches are not served: send one message at a time.');
  if (isDeeper(content, maxDepth)) return invalid(`The message is nested deeper than ${maxDepth} levels.`);
  return { content: withoutMalformedResult(content) };
}

/**
 * A client's answer to a question of the server that is none of JSON-RPC becomes one that says nothing. Dropped, it would
 * leave the question open for the minutes that a person has.
 */
function withoutMalformedResult(content: unknown): unknown {
  if (typeof content !== 'object' || content === null || 'method' in content || !('id' in content)) return content;
  const { id } = content;
  if (typeof id !== 'string' && typeof id !== 'number') return content;
  try {
    return parseJSONRPCMessage(content);
  } catch {
    return { jsonrpc: '2.0', id, result: {} };
  }
}

function invalid(problem: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidRequest, problem);
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((inner) => isDeeper(inner, depth - 1));
}
