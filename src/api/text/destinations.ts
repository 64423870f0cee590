import { cleanText } from './clean-text.ts';

declare const destination: unique symbol;

/** A text as it is written at one destination, in which strangers’ words are only words. Only `textFor` makes it of other texts. */
export type TextFor<Name extends Destination> = string & { readonly [destination]: Name };

export type Destination = keyof typeof writers;

/** What a destination makes of some characters, and what is written instead. */
type Replacements = readonly (readonly [pattern: RegExp, written: string | ((found: string) => string)])[];

/**
 * Slack, Discord, Teams and Mattermost escape in different ways, and none can be chosen by a URL. So characters that start a mention, a
 * link or a format in any of them are replaced by characters that look the same.
 */
const inChat: Replacements = [
  [/[<>@[\]`*~|]/g, (found) => lookalikes[found] ?? ''],
  // `&lt;!channel&gt;` would be decoded.
  [/&(?=[#\w])/g, '＆'],
  [/:(?=\/\/)|(?<=\b(?:mailto|tel|sms)):/gi, '：'],
  // A domain becomes a link without a scheme, too.
  [/(?<=[\p{L}\p{N}])\.(?=\p{L})/gu, '․'],
  [/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '＿'],
];

const lookalikes: Readonly<Record<string, string>> = {
  '<': '‹',
  '>': '›',
  '@': '＠',
  '[': '［',
  ']': '］',
  '`': 'ˋ',
  '*': '∗',
  '~': '∼',
  '|': '¦',
};

/** CommonMark with the links, mentions, tables and formulas of GitHub. */
const inMarkdown: Replacements = [
  [/&/g, '&amp;'],
  [/</g, '&lt;'],
  [/>/g, '&gt;'],
  [/[\\`*[\]~|$]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&'],
  [/^(?=[#+\-=])|(?<=^\d{1,9})(?=[.)](?:\s|$))/g, '\\'],
  [/:(?=\/\/)|(?<=\b(?:mailto|xmpp)):/gi, '\\:'],
  [/(?<=\bwww)\./gi, '\\.'],
  // No escape stops a mention: it is looked for in the rendered text.
  [/@/g, '＠'],
];

const inHtml: Replacements = [
  [/&/g, '&amp;'],
  [/</g, '&lt;'],
  [/>/g, '&gt;'],
  [/"/g, '&quot;'],
  [/'/g, '&#39;'],
];

/** The characters that start a formula in a spreadsheet, and their full-width forms, after characters that it skips. */
const formula = /^[\s"\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]/u;

/** A number of any locale. */
const number = /^\s*[+-]?\d[\d.,]*%?\s*$/;

/**
 * An apostrophe before a formula makes it text: at the start of a cell, or after any separator of a spreadsheet. With a decimal comma
 * that is the semicolon, and then quotation marks inside of a cell protect nothing.
 */
function withoutFormulas(cell: string): string {
  const parts = cell.split(/([;|\t\r\n])/).map((part) => {
    if (number.test(part)) return part;
    const pieces = part.split(',');
    return pieces
      .map((piece, index) => {
        const isNumber = index > 0 && index === pieces.length - 1 && number.test(piece);
        return formula.test(piece) && !isNumber ? `'${piece}` : piece;
      })
      .join(',');
  });
  return parts.join('').replace(/^[\t\r\n]/, "'$&");
}

/** A cell with the quotation marks that it needs (RFC 4180). */
function quotedCell(cell: string): string {
  return /[",;|\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function replaced(text: string, replacements: Replacements): string {
  return replacements.reduce((written, [pattern, by]) => written.replace(pattern, by as string), text);
}

const lines = (text: string): string => text.split('\n').map(cleanText).join('\n');

const writers = {
  /** A line of a message in a chat program. */
  chat: (text: string) => replaced(cleanText(text), inChat),
  markdown: (text: string) => replaced(cleanText(text), inMarkdown),
  /** A cell of CSV. Spreadsheets, not readers, run what is in it, so nothing is taken out of it. */
  csv: (text: string) => quotedCell(withoutFormulas(text)),
  /** Lines of a terminal. */
  terminal: lines,
  /** The content of an element or of a quoted attribute. */
  html: (text: string) => replaced(lines(text), inHtml),
  log: cleanText,
};

/** The text as words for a destination: it neither notifies, links, formats, computes nor runs anything there. */
export function textFor<Name extends Destination>(name: Name, text: string): TextFor<Name> {
  return writers[name](text) as TextFor<Name>;
}

/** All destinations, for tests over them. */
export const destinations = Object.keys(writers) as readonly Destination[];

/** Texts of one destination with marks of this program between them. */
export function joined<Name extends Destination>(
  texts: readonly TextFor<Name>[],
  separator: ',' | '\n' | '\n\n' | '\r\n',
): TextFor<Name> {
  return texts.join(separator) as TextFor<Name>;
}

/** A line with a mark of this program before it. */
export function marked<Name extends Destination>(mark: '' | '- ' | '## ' | '### ', text: TextFor<Name>): TextFor<Name> {
  return `${mark}${text}` as TextFor<Name>;
}
