import { open, readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { Failure } from '../api/failure.ts';
import { cleanText } from '../api/text/clean-text.ts';

/** One request of the trail, made of its two lines. */
export interface AuditedWrite extends Readonly<Omit<z.infer<typeof beginLine>, 'event' | 'owner'>> {
  /** The name of its token; null without tokens. */
  readonly owner: string | null;
  /** `unknown` if the second line is missing because the server ended in between. */
  readonly outcome: string;
  readonly id: string | null;
  readonly durationMs: number | null;
}

export interface AuditLog {
  /** In the order of sending. */
  readonly writes: readonly AuditedWrite[];
  /** The number of lines that could not be read, such as one that a crash cut off. */
  readonly unreadable: number;
}

/**
 * Reads the last `maxBytes` of an audit trail and of its rotated files. All texts are cleaned except the values of arguments,
 * because an undo sets them again. Throws a Failure if a file cannot be read.
 */
export async function readAuditLog(
  path: string,
  { maxBytes = Number.POSITIVE_INFINITY, mayBeMissing = false } = {},
): Promise<AuditLog> {
  let left = maxBytes;
  let text = '';
  for (const file of [path, ...(await rotatedFrom(path))]) {
    if (left <= 0) break;
    const read = await readEnd(file, left).catch((error: NodeJS.ErrnoException) => {
      if (mayBeMissing && error.code === 'ENOENT') return '';
      throw new Failure(
        `The audit log ${file} cannot be read (${error.code}).`,
        'Give the file that TRACKER_AUDIT_LOG names.',
      );
    });
    left -= read.length;
    text = `${read}\n${text}`;
  }
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const parsed = lines.map(parseLine);
  const read = parsed.filter((line) => line !== undefined);
  const ends = new Map(read.flatMap((line) => (line.event === 'end' ? [[line.operation, line] as const] : [])));
  const begins = new Map(read.flatMap((line) => (line.event === 'begin' ? [[line.operation, line] as const] : [])));
  const writes = [...begins.values()].map((line) => {
    const { event: _, owner = null, ...about } = line;
    const { outcome = 'unknown', id = null, duration_ms: durationMs = null } = ends.get(line.operation) ?? {};
    return { ...about, owner, outcome, id, durationMs };
  });
  return { writes, unreadable: parsed.length - read.length };
}

/** Logs can be tampered with, and they are shown on terminals and to agents. */
export const shownText = z.string().transform(cleanText);
export const auditedValues = z
  .record(z.string(), z.unknown())
  .transform((record) => Object.fromEntries(Object.entries(record).map(([name, value]) => [cleanText(name), value])));

/** The first line of a request, as far as it is read. Older versions wrote fewer fields. */
const beginLine = z.object({
  event: z.literal('begin'),
  time: shownText,
  run: z.string(),
  operation: z.string(),
  tool: shownText,
  client: shownText,
  owner: shownText.nullish(),
  arguments: auditedValues,
  tracker: z.string().optional(),
  tracker_name: shownText.optional(),
  change: shownText.optional(),
  act: shownText.optional(),
  before: auditedValues.default({}),
  undoes: shownText.optional(),
  proposal: shownText.optional(),
  approver: shownText.optional(),
});

const auditLine = z.discriminatedUnion('event', [
  beginLine,
  z.object({
    event: z.literal('end'),
    operation: z.string(),
    outcome: shownText,
    id: shownText.nullish(),
    duration_ms: z.number().nullish(),
  }),
]);

/** The files that logrotate made of a log, newest first: `log.1`, `log-20261123`. Compressed files are not read. */
export async function rotatedFrom(path: string): Promise<readonly string[]> {
  const [folder, name] = [dirname(path), basename(path)];
  const names = await readdir(folder).catch(() => []);
  const rotated = names.filter((other) => other.startsWith(name) && /^[.-]\d[\d-]*$/.test(other.slice(name.length)));
  const files = await Promise.all(
    rotated.map(async (other) => {
      const file = join(folder, other);
      const modifiedMs = (await stat(file).catch(() => undefined))?.mtimeMs;
      return modifiedMs === undefined ? [] : [{ file, modifiedMs }];
    }),
  );
  const newestFirst = files.flat().sort((one, other) => other.modifiedMs - one.modifiedMs);
  return newestFirst.map(({ file }) => file);
}

/** The last whole lines of a file, max `maxBytes`. */
async function readEnd(path: string, maxBytes: number): Promise<string> {
  // A pipe has no size.
  if (maxBytes === Number.POSITIVE_INFINITY) return readFile(path, 'utf8');
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
