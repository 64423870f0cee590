import type { PartOfAnswer } from '../../api/table.ts';
import { nameOf } from '../../api/vocabulary.ts';
import type { FoundReport } from './shapes/reports.ts';
import { type Field, isEmpty, isLeaf, isList, isRecord, type Tree, toCell } from './tree.ts';
import { isPaging } from './words.ts';

/** What an answer says of its own size: that it is one page of several, or has fewer rows than there are. */

const named = (thing: Parameters<typeof nameOf<'paging'>>[1]) => nameOf('paging', thing);

const isLimit = named('limit');
const isPage = named('page');
const isOffset = named('offset');
const isNext = named('next');

const isYes = (text: string) => /^(true|[1-9]\d{0,8}|yes|y)$/i.test(text);
const isNo = (text: string) => /^(false|0|no|n)$/i.test(text);
const isWhole = (text: string) => /^\d{1,15}$/.test(text);
const countIn = (text: string) => /^(\d{1,15})(?: \p{L}{1,20})?$/u.exec(text)?.[1];

/** How one of its fields says that there is more: undefined if it says nothing of it. */
interface Sign {
  readonly is: (name: string) => boolean;
  readonly saysMore: (text: string, size: Size) => boolean | undefined;
}

interface Size {
  readonly rows: number;
  /** Whether a number is the sum of a column, and not of rows. */
  readonly isSum: (value: number) => boolean;
  /** Whether other fields number pages, so that `pages` are pages of an answer. */
  readonly hasPages: boolean;
}

const signs: readonly Sign[] = [
  {
    is: named('more'),
    saysMore: (text) => (isYes(text) ? true : isNo(text) ? false : undefined),
  },
  {
    is: named('last'),
    saysMore: (text) => (isNo(text) ? true : isYes(text) ? false : undefined),
  },
  {
    is: isNext,
    saysMore: (text) => !/^(false|null|none|no|0|-1|)$/i.test(text),
  },
  { is: named('relation'), saysMore: (text) => (text === 'next' ? true : undefined) },
  {
    is: named('pages'),
    saysMore: (text, { rows, hasPages }) =>
      isWhole(text) && (hasPages || Number(text) !== rows) ? Number(text) > 1 : undefined,
  },
  {
    is: (name) => isPage(name) || isOffset(name),
    saysMore: (text) => (isWhole(text) && Number(text) > 1 ? true : undefined),
  },
  {
    is: named('rows'),
    saysMore: isMoreThanRows,
  },
  {
    is: named('total'),
    saysMore: (text, size) => (size.isSum(Number(countIn(text))) ? undefined : isMoreThanRows(text, size)),
  },
  {
    is: isPage,
    saysMore: (text) => isBelow(/^(\d{1,15})\s?\/\s?(\d{1,15})$/.exec(text)),
  },
  {
    is: named('words'),
    saysMore: (text) => isBelow(/(\d{1,15})\s?(?:of|out of|von|de|sur)\s?(\d{1,15})/i.exec(text) ?? range.exec(text)),
  },
  {
    is: named('words'),
    saysMore: (text, { rows }) => (limited.test(text) && text.split(/\D+/).includes(String(rows)) ? true : undefined),
  },
];

/** "Only the first 500 rows are shown", "Result limited to 500 rows". */
const limited = /\b(only|first|limit(ed)?|top|max(imum)?|capped|truncated|cut)\b/i;

const range = /^\D{0,20}\d{1,15}\s?[-–]\s?(\d{1,15})\s?\/\s?(\d{1,15})\D{0,20}$/;

function isMoreThanRows(text: string, { rows }: Size): boolean | undefined {
  const count = Number(countIn(text));
  return count >= rows ? count > rows : undefined;
}

function isBelow(match: RegExpExecArray | null): boolean | undefined {
  return match ? Number(match[1]) < Number(match[2]) : undefined;
}

/** Whether a field beside another answer says something of its size. */
export const isAboutSize = ([name, value]: Field): boolean => isLeaf(value) && signs.some(({ is }) => is(name));

/** The fields of an answer, and of its records about pages: in `page`, `total` is the number of pages. */
function fieldsAbout(fields: readonly Field[], inside = '', depth = 0): readonly Field[] {
  return fields.flatMap(([name, value]): readonly Field[] => {
    if (isLeaf(value))
      return inside === ''
        ? [[name, value]]
        : [
            [name, value],
            [`${inside} ${name}`, value],
          ];
    // `next` may be a link with an `href` of its own.
    if (depth > maxDepth || !(isPaging(name) || (inside !== '' && isNext(name)))) return [];
    const items: readonly Tree[] = isList(value) ? value.slice(0, maxLinks) : [value];
    return items.flatMap((item) => (isRecord(item) ? fieldsAbout(Object.entries(item), name, depth + 1) : []));
  });
}

const [maxDepth, maxLinks] = [3, 10];

function saying(extra: readonly Field[], rows: number, isSum: Size['isSum']): readonly Field[] {
  const fields = fieldsAbout(extra);
  const hasPages = fields.some(([name]) => isLimit(name) || isPage(name));
  const size = { rows, isSum, hasPages };
  const said = fields.map((field): readonly [Field, boolean | undefined] => {
    const [name, value] = field;
    const text = isEmpty(value) ? '' : String(value).trim();
    const all = signs.flatMap(({ is, saysMore }) => (is(name) ? (saysMore(text, size) ?? []) : []));
    return [field, all.length === 0 ? undefined : all.includes(true)];
  });
  const more = said.flatMap(([field, saysMore]) => (saysMore ? [field] : []));
  if (more.length > 0 || said.some(([, saysMore]) => saysMore === false) || rows === 0) return more;
  // A full page is a part unless something says that it is all.
  return fields.filter(([name, value]) => isLimit(name) && String(value) === String(rows));
}

/** What an answer says of rows that it does not have; undefined if nothing. */
export function partIn(tables: readonly FoundReport[], extra: readonly Field[]): PartOfAnswer | undefined {
  if (extra.length === 0 && tables.every((table) => table.extra.length === 0)) return undefined;
  const inTables = new Set(tables.flatMap((table) => table.extra));
  // A row with totals may be among them.
  const isSum = (value: number) =>
    tables.some(({ cells, columns }) =>
      columns.some((_, column) => {
        const { sum, values } = cells.numbers(column) ?? {};
        return [sum, values?.[0], values?.at(-1)].includes(value);
      }),
    );
  const rows = tables.reduce((sum, { cells }) => sum + cells.rowCount, 0);
  const around = saying(
    extra.filter((field) => !inTables.has(field)),
    rows,
    isSum,
  );
  const inside = tables.flatMap((table) => saying(table.extra, table.cells.rowCount, isSum));
  const fields = [...new Set([...around, ...inside])].map(([name, value]) => [name, toCell(value)] as const);
  return fields.length === 0 ? undefined : { tables: tables.map(({ name }) => name), rows, fields };
}
