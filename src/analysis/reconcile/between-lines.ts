import { certainStanding, standingOf } from './status-words.ts';

/** What the rows around the lines say of them: the status of those below, or that there are more lines. */

/** Longer texts are no headings of a section. */
const maxSection = 60;

/**
 * The status of the lines below a row that holds one text: `Rejected`, `Status: Pending`, `Abgelehnte Transaktionen (3)`.
 *
 * @returns the words that say it, as `standingOf` reads them; undefined if the row does not say it
 */
function statusOfSection(cells: readonly string[]): string | undefined {
  const [text = '', ...others] = cells.map((cell) => cell.trim()).filter(Boolean);
  // A number behind a status is a sum of the statement.
  if (others.length > 0 || text.length > maxSection || /[:=] ?\P{L}*$/u.test(text)) return undefined;
  if (standingOf(text, undefined)) return text;
  const words = text.split(/[^\p{L}\p{M}]+/u).filter(Boolean);
  for (const length of [3, 2, 1])
    for (const [start] of words.entries()) {
      const some = words.slice(start, start + length).join(' ');
      const found = endings.map((ending) => some.replace(ending, '')).find((word) => certainStanding(word));
      if (found !== undefined) return found;
    }
  return undefined;
}

/**
 * The status of the section in which each row stands, by the heading of that section.
 *
 * @param above the rows above the heading of the columns
 * @param isNote whether a row is no line, and no total
 */
export function sectionsOf(
  above: readonly (readonly string[])[],
  rows: readonly (readonly string[])[],
  isNote: (index: number) => boolean,
): readonly (string | undefined)[] {
  // Several are a summary.
  const [first, ...others] = above.flatMap((row) => statusOfSection(row) ?? []);
  let section = others.length === 0 ? first : undefined;
  return rows.map((row, index) => {
    if (isNote(index)) section = statusOfSection(row) ?? section;
    return section;
  });
}

/** Of adjectives: `abgelehnte`, `refusées`. */
const endings = [/^$/, /s$/, /es?$/, /e[rn]$/];

/** What lines are called. */
const lines =
  '(?:entries|rows|lines|records|results|items|transactions|conversions|sales|actions|leads|Einträge|Zeilen|Datensätze|Ergebnisse|Transaktionen|' +
  'résultats|lignes|entrées|registros|filas|resultados|linhas|transacciones|transações|righe|risultati|voci|transazioni|rijen|resultaten|wierszy|строк|записей)';
const of = '(?:of|out of|von|de|sur|di|van|z|из|av)';

const pageOf = new RegExp(`^(?:\\p{L}{3,9}\\.? ?)?(\\d{1,5}) ?(?:/|${of}) ?(\\d{1,5})$`, 'iu');
const linesOf = new RegExp(`\\d ${of} (\\d[\\d.,']{0,12}) ${lines}`, 'iu');
const moreLines = new RegExp(
  `\\d ?(?:more|further|other|weitere|autres|más|mais|altri|altre|meer) ${lines}|\\d (?:autres )?${lines} (?:more|más|mais|weitere)|` +
    `truncated|abgeschnitten|tronqué|truncad|limited to (?:the )?(?:first |last )?\\d`,
  'iu',
);

const number = (digits = '') => Number(digits.replace(/[^\d]/g, ''));

/**
 * The text around the lines that says that there are more: `Showing 6 of 120 entries`, `... 14 more rows`.
 *
 * @param count how many lines there are
 */
export const textOfPart = (texts: readonly string[], count: number): string | undefined =>
  texts.find((text) => moreLines.test(text) || number(linesOf.exec(text)?.[1]) > count);

/** The number of the last page, if more should follow: `Page 1 of 3`. A program may print it below all lines. */
export function lastPageOf(texts: readonly string[]): string | undefined {
  const pages = texts.flatMap((text) => {
    const [, page, count] = pageOf.exec(text) ?? [];
    return page === undefined ? [] : [{ text, page: number(page), count: number(count) }];
  });
  const last = pages.toSorted((one, other) => other.page - one.page)[0];
  return last && last.page < last.count ? last.text : undefined;
}
