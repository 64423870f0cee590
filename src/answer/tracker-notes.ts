import type { ReplyNote, SentField } from '../api/notes.ts';
import { countInWords, joinWords } from '../api/rules.ts';
import type { PartOfAnswer, StrayRow } from '../api/table.ts';
import { shorten } from '../api/text/tracker-text.ts';
import { nameOf, quote, type Words } from './words.ts';

/** Remarks must not crowd out the rows. In characters: all fields, one name or value, and the whole sentence. */
const [maxFieldsLength, maxWordsLength, maxLength] = [500, 200, 600];

/** The answers, and the names of tables, that are told one by one. */
const maxParts = 3;

type ReplyData<Code extends ReplyNote['code']> = Extract<ReplyNote, { code: Code }>;

function sayFields({ isWrite, fields }: ReplyData<'sent-too'>): string {
  const introduction = isWrite ? 'The tracker also said' : 'Next to the rows, the tracker also sent';
  return shorten(`${introduction}: ${joinFields(fields)}`, maxLength);
}

/** Answers and what they say of themselves; empty for none. */
function listParts(parts: readonly PartOfAnswer[]): string {
  const said = parts.slice(0, maxParts).map(({ tables, rows, fields }) => {
    const names = joinWords(
      tables.slice(0, maxParts).map((table) => nameOf(table, 100)),
      'and',
    );
    return `${countInWords(rows, 'row')} of ${names} (${joinFields(fields)})`;
  });
  const more = parts.length > maxParts ? `; and ${countInWords(parts.length - maxParts, 'more answer')}` : '';
  return said.join('; ') + more;
}

function joinFields(fields: readonly SentField[]): string {
  const parts: string[] = [];
  let left = maxFieldsLength;
  for (const [name, value] of fields) {
    const field = `${nameOf(name, maxWordsLength)} = ${value === null ? '' : nameOf(value, maxWordsLength)}`;
    left -= field.length;
    if (left < 0 && parts.length > 0) break;
    parts.push(field);
  }
  return parts.join('; ') + (parts.length < fields.length ? `; and ${fields.length - parts.length} more` : '');
}

const replyNotes = {
  'missing-report': ({ report }) => `The tracker returned no ${report} report.`,
  'tracker-said': ({ text }) => `The tracker said: ${quote(text)}`,
  'messages-left-out': () => 'The tracker printed messages around its answer; they were left out.',
  'sent-too': sayFields,
  'audit-incomplete': () => 'The write was done, but the audit log could not be completed.',
} satisfies { readonly [Code in ReplyNote['code']]: Words<ReplyData<Code>> };

/** What a tracker says beside what it was asked for, and how a call was read. */
export const trackerNotes = {
  ...replyNotes,
  'nothing-about-visitor': () =>
    'The tracker returned nothing about this visitor: the subID may be of another tracker, or too old.',
  'other-visitor': ({ subid }: { subid: string }) =>
    `The tracker answered about ${quote(subid)}, which is not the subID asked for.`,
  /** The records that a call is about, by their names. */
  about: ({ records, more }: { records: readonly Named[]; more: number }) => {
    const named = records.map(({ of, id, name }) => `${of} ${id}: ${quote(name, 100)}`);
    const text = [...named, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
  },
  /** Answers that say themselves that they lack rows. */
  'part-of-answer': ({ tracker, parts }: { tracker?: string | undefined; parts: readonly PartOfAnswer[] }) => {
    const [short, doubtful] = [false, true].map((isInDoubt) =>
      listParts(parts.filter((part) => (part.isInDoubt === true) === isInDoubt)),
    );
    const sender = `the tracker ${tracker === undefined ? '' : `${nameOf(tracker)} `}sent`;
    return [
      short && `Not all rows: ${sender} ${short}, which says that there are more.`,
      doubtful && `Perhaps not all rows: ${sender} ${doubtful}, which says that something went wrong.`,
      'All figures, totals and findings are of what came alone.',
    ]
      .filter(Boolean)
      .join(' ');
  },
  /** Totals, notes and headings among the rows. */
  'stray-rows': ({ tracker, rows }: { tracker?: string | undefined; rows: readonly StrayRow[] }) => {
    const said = rows
      .slice(0, maxParts)
      .map(
        ({ table, cells }) =>
          `${cells.length === 0 ? 'an empty row' : quote(cells.join(', '), maxWordsLength)} of ${nameOf(table, 100)}`,
      );
    const more = rows.length > maxParts ? `, and ${rows.length - maxParts} more` : '';
    return `Left out, because they are totals, headings or notes among the rows${tracker === undefined ? '' : ` of ${nameOf(tracker)}`}: ${said.join(', ')}${more}.`;
  },
  'entities-decoded': () =>
    'HTML entities in the arguments were read as their characters: text that itself holds &amp; is asked for as &amp;amp;.',
  'tracker-unread': ({ tracker, failure }: { tracker: string; failure: string }) =>
    `Not read, and in no row and no total: the tracker ${tracker} (${failure})`,
} as const;

type Named = { readonly of: string; readonly id: number | string; readonly name: string };
