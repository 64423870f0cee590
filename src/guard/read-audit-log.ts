import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { Failure } from '../api/failure.ts';
import { cleanText } from '../api/text/clean-text.ts';
import { parseJson } from '../api/text/json.ts';
import { FileProblem, findFile, whyNot } from '../files/at-path.ts';
import { ifThere, listFiles, readBytes } from '../files/read-file.ts';

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

/** Half of the longest text that fits into a variable. */
const maxBytesRead = 256 * 1024 * 1024;

/**
 * Reads the last `maxBytes` of an audit trail and of its rotated files. All texts are cleaned except the values of arguments,
 * because an undo sets them again. Throws a Failure if a file cannot be read.
 *
 * @param isKept the values are used for writes, so files that others can change are refused
 */
export async function readAuditLog(
  path: string,
  { maxBytes = maxBytesRead, mayBeMissing = false, isKept = false } = {},
): Promise<AuditLog> {
  let left = maxBytes;
  let text = '';
  for (const file of [path, ...(await rotatedFrom(path))]) {
    if (left <= 0) break;
    const reading = readEnd(file, left, isKept);
    const read = await (mayBeMissing ? ifThere(reading) : reading).catch((error: unknown) => {
      const remedy = error instanceof FileProblem ? error.remedy : undefined;
      throw new Failure(
        `The audit log ${file} cannot be read (${whyNot(error)}).`,
        remedy ?? 'Give the file that TRACKER_AUDIT_LOG names.',
      );
    });
    if (read === undefined) continue;
    left -= read.length;
    text = `${read}\n${text}`;
  }
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  // An editor may have begun a file with a byte order mark.
  const parsed = lines.map((line) => auditLine.safeParse(parseJson(line.replace(/^\ufeff/, ''))).data);
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
export const auditedValues = z.record(z.string(), z.unknown()).transform((record) => {
  // Earlier versions wrote it among the values that a request sets.
  const { dry_run: _, ...values } = record;
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [cleanText(name), value]));
});

/** The set that a change is of, and which of its writes it is, from 1. */
export const setPlace = z.object({ id: shownText, number: z.number(), of: z.number() });

export type SetPlace = Readonly<z.infer<typeof setPlace>>;

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
  set: setPlace.optional().catch(undefined),
  requests: z.number().optional().catch(undefined),
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

/**
 * The files that were made of a log, newest first. Compressed files are not among them.
 *
 * @param form what follows the name of the log; by default what logrotate makes, too: `log.1`, `log-20261123`
 */
export async function rotatedFrom(path: string, form = /[.-]\d[\d-]*/): Promise<readonly string[]> {
  const log = (await findFile(path).catch(() => undefined))?.path ?? path;
  const names = await listFiles(dirname(log), form, basename(log)).catch(() => []);
  const files = await Promise.all(
    names.map(async (name) => {
      const file = join(dirname(log), name);
      const modifiedNs = (await findFile(file).catch(() => undefined))?.about?.mtimeNs;
      return modifiedNs === undefined ? [] : [{ file, modifiedNs }];
    }),
  );
  const newestFirst = files.flat().sort((one, other) => (one.modifiedNs < other.modifiedNs ? 1 : -1));
  return newestFirst.map(({ file }) => file);
}

/** The last whole lines of a file, max `maxBytes`. */
async function readEnd(path: string, maxBytes: number, isKept: boolean): Promise<string> {
  const { bytes, about } = await readBytes(path, { isKept, last: maxBytes });
  const text = bytes.toString('utf8');
  return about.size <= maxBytes ? text : text.slice(text.indexOf('\n') + 1);
}
