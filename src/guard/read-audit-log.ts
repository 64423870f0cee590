import { open, readFile } from 'node:fs/promises';
import * as z from 'zod';
import { Failure } from '../api/failure.ts';

/** One write as the trail tells it: both its lines put together. */
export interface AuditedWrite {
  /** When it was about to be sent, in UTC. */
  readonly time: string;
  readonly run: string;
  readonly operation: string;
  readonly tool: string;
  readonly client: string;
  /** Whose token it was written with; null without tokens. */
  readonly owner: string | null;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** `unknown` where the second line is missing: the server ended in between. */
  readonly outcome: string;
  readonly id: string | null;
  readonly durationMs: number | null;
  /** The tracker that was written to, where the log names it. */
  readonly tracker?: string | undefined;
  /** What it was called, where there were several. */
  readonly tracker_name?: string | undefined;
  /** The change it belongs to; logs of versions that kept none do not say. */
  readonly change?: string | undefined;
  /** The tool that was called. */
  readonly act?: string | undefined;
  /** What was there before, by the names of arguments. */
  readonly before: Readonly<Record<string, unknown>>;
  /** The change that it takes back. */
  readonly undoes?: string | undefined;
  /** The proposal that it was, and whose yes let it be sent. */
  readonly proposal?: string | undefined;
  readonly approver?: string | undefined;
}

export interface AuditLog {
  /** In the order in which they were sent. */
  readonly writes: readonly AuditedWrite[];
  /** Lines that are no line of a trail, such as one that a crash cut off. */
  readonly unreadable: number;
}

/**
 * Reads an audit trail.
 *
 * @param maxBytes how much of its end is read; without it, all
 * @throws Failure where the file cannot be read
 */
export async function readAuditLog(path: string, maxBytes?: number): Promise<AuditLog> {
  const reading = maxBytes === undefined ? readFile(path, 'utf8') : readEnd(path, maxBytes);
  const text = await reading.catch((error: NodeJS.ErrnoException) => {
    throw new Failure(
      `The audit log ${path} cannot be read (${error.code}).`,
      'Give the file that TRACKER_AUDIT_LOG names.',
    );
  });
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const parsed = lines.map(parseLine);
  const read = parsed.filter((line) => line !== undefined);
  const ends = new Map(read.flatMap((line) => (line.event === 'end' ? [[line.operation, line] as const] : [])));
  const writes = read.flatMap((line) => {
    if (line.event !== 'begin') return [];
    const { event: _, arguments: given, owner = null, ...about } = line;
    const end = ends.get(line.operation);
    const outcome = end?.outcome ?? 'unknown';
    return [
      {
        ...about,
        owner,
        arguments: given,
        outcome,
        id: end?.id ?? null,
        durationMs: end?.duration_ms ?? null,
      },
    ];
  });
  return { writes, unreadable: parsed.length - read.length };
}

/** What is read of a line; it may hold more. */
const auditLine = z.discriminatedUnion('event', [
  z.object({
    event: z.literal('begin'),
    time: z.string(),
    run: z.string(),
    operation: z.string(),
    tool: z.string(),
    client: z.string(),
    owner: z.string().nullish(),
    arguments: z.record(z.string(), z.unknown()),
    tracker: z.string().optional(),
    tracker_name: z.string().optional(),
    change: z.string().optional(),
    act: z.string().optional(),
    before: z.record(z.string(), z.unknown()).default({}),
    undoes: z.string().optional(),
    proposal: z.string().optional(),
    approver: z.string().optional(),
  }),
  z.object({
    event: z.literal('end'),
    operation: z.string(),
    outcome: z.string(),
    id: z.string().nullish(),
    duration_ms: z.number().nullish(),
  }),
]);

/** The last whole lines of a file, of so many bytes at most. */
async function readEnd(path: string, maxBytes: number): Promise<string> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - maxBytes);
    const bytes = Buffer.alloc(size - start);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
    const text = bytes.toString('utf8', 0, bytesRead);
    return start === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } finally {
    await file.close();
  }
}

function parseLine(line: string): z.infer<typeof auditLine> | undefined {
  try {
    return auditLine.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
