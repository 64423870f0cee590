import { changeNotes } from './change-notes.ts';
import { dayNotes } from './day-notes.ts';
import { moneyNotes } from './money-notes.ts';
import type { OpenDay } from './open-day.ts';
import { pageNotes } from './page-notes.ts';
import { statementNotes } from './statement-notes.ts';
import { subidNotes } from './subid-notes.ts';
import { tableNotes } from './table-notes.ts';
import { trackerNotes } from './tracker-notes.ts';
import { trackingNotes } from './tracking-faults.ts';
import { visitNotes } from './visit-notes.ts';
import { quote, type Words } from './words.ts';
import { writeNotes } from './write-notes.ts';

/**
 * Facts about an answer that its rows do not show. They travel as codes with data, and become sentences at the end of a call: in
 * `sayNotice` for a model, in `sayToPerson` for a person. Each topic has a table of words.
 */
const words = {
  ...changeNotes,
  ...dayNotes,
  ...moneyNotes,
  ...pageNotes,
  ...statementNotes,
  ...subidNotes,
  ...tableNotes,
  ...trackerNotes,
  ...trackingNotes,
  ...visitNotes,
  ...writeNotes,
} as const;

type DataOf<Row> = Row extends Words<infer Data> ? Readonly<Data> : never;

/** A fact, by its code. */
export type Note = {
  readonly [Code in keyof typeof words]: { readonly code: Code } & DataOf<(typeof words)[Code]>;
}[keyof typeof words];
export type NoteOf<Code extends Note['code']> = Extract<Note, { readonly code: Code }>;

/** What a notice is about, in an answer about several. */
type Subject =
  | { readonly tracker: string }
  | { readonly campaign: { readonly id: number | string; readonly name?: string | undefined } }
  /** A request of a set of writes, such as `edit_campaign campaign_id 1`. */
  | { readonly request: string }
  /** The number of a write in its set. */
  | { readonly write: number };

type Part = { readonly of: Subject; readonly notice: Notice };

/** Notes that are one notice, a line each. */
type Lines = { readonly lines: readonly Notice[] };

export type Notice = Note | Part | Lines;

/** A result whose notices are not words yet. */
export type Unworded<Result> = Omit<Result, 'notices'> & { readonly notices: readonly Notice[] };

export function sayNotice(notice: Notice): string {
  if ('lines' in notice) return notice.lines.map(sayNotice).join('\n');
  return 'notice' in notice ? `${sayBefore(notice.of)}${sayNotice(notice.notice)}` : wordsOf(notice).toModel(notice);
}

/** Null if it is for models alone. */
export function sayToPerson(notice: Notice): string | null {
  if ('lines' in notice) {
    const lines = notice.lines.map(sayToPerson).filter((line) => line !== null);
    return lines.length === 0 ? null : lines.join('\n');
  }
  if ('notice' in notice) {
    const said = sayToPerson(notice.notice);
    return said === null ? null : `${'request' in notice.of ? '' : sayBefore(notice.of)}${said}`;
  }
  return wordsOf(notice).toPerson?.(notice) ?? null;
}

function sayBefore(of: Subject): string {
  if ('write' in of) return `${of.write}. `;
  if ('request' in of) return `${of.request}: `;
  return 'tracker' in of ? `${of.tracker}: ` : `${nameCampaign(of.campaign)}: `;
}

const nameCampaign = ({ id, name }: Extract<Subject, { campaign: unknown }>['campaign']) =>
  `Campaign ${id}${name === undefined ? '' : ` ${quote(name, 80)}`}`;

function wordsOf({ code }: Note) {
  const said = words[code] as Words<Note>;
  return typeof said === 'function' ? { toModel: said, toPerson: said } : said;
}

export const distinct = <One extends Notice>(notices: readonly One[]): One[] => [
  ...new Map(notices.map((notice) => [JSON.stringify(notice), notice])).values(),
];

/** The first day that is not over. */
export function openDayIn(notices: readonly Notice[]): OpenDay | undefined {
  for (const notice of notices) {
    if ('lines' in notice) continue;
    const found = 'notice' in notice ? openDayIn([notice.notice]) : notice.code === 'open-day' ? notice : undefined;
    if (found) return { day: found.day, isSure: found.isSure };
  }
  return undefined;
}
