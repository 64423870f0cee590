/** Writes tables as trackers might, independently of the code that reads them. */

export interface TestTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
}

type Row = readonly (string | null)[];
type Render = (tables: readonly TestTable[]) => string;

const escapeText = (text: string) => text.replace(/[&<>\r]/g, (character) => `&#${character.charCodeAt(0)};`);
const escapeAttribute = (text: string) =>
  text.replace(/[&<>"'\r\n\t]/g, (character) => `&#x${character.charCodeAt(0).toString(16)};`);
const cdata = (text: string) =>
  text.includes('\r') ? escapeText(text) : `<![CDATA[${text.split(']]>').join(']]]]><![CDATA[>')}]]>`;

const record = ({ columns }: TestTable, row: Row, empty: '' | null) =>
  `{${columns.map((column, index) => `${JSON.stringify(column)}:${JSON.stringify(row[index] ?? empty)}`).join(',')}}`;
const records = (table: TestTable, empty: '' | null = '') =>
  `[${table.rows.map((row) => record(table, row, empty)).join(',')}]`;
const list = (tables: readonly TestTable[], write: (table: TestTable) => string) => tables.map(write).join(',');

const field = (tag: string, column: string, inside: string) =>
  `<${tag} name="${escapeAttribute(column)}">${inside}</${tag}>`;
const fieldRow = ({ columns }: TestTable, row: Row, write: (text: string) => string) =>
  columns.map((column, index) => field('field', column, row[index] == null ? '' : write(row[index] ?? ''))).join('');

export const jsonShapes: Record<string, Render> = {
  'keyed by name': (tables) => `{${list(tables, (table) => `${JSON.stringify(table.name)}:${records(table)}`)}}`,
  'wrapped, null for empty': (tables) =>
    `{"Status":"OK","Reports":{${list(tables, (table) => `${JSON.stringify(table.name)}:${records(table, null)}`)}}}`,
  'list of report and rows': (tables) =>
    `[${list(tables, (table) => `{"report":${JSON.stringify(table.name)},"rows":${records(table)}}`)}]`,
  'columns and lists': (tables) =>
    `{"data":{${list(tables, ({ name, columns, rows }) => `${JSON.stringify(name)}:${JSON.stringify({ columns, rows })}`)}}}`,
};

export const xmlShapes: Record<string, Render> = {
  'named reports, named fields': (tables) =>
    `<?xml version="1.0" encoding="UTF-8"?><stats>${tables
      .map((table) =>
        field('report', table.name, table.rows.map((row) => `<row>${fieldRow(table, row, escapeText)}</row>`).join('')),
      )
      .join('')}</stats>`,
  'elements by name, CDATA, laid out': (tables) =>
    `<Response>\n<Status>OK</Status>\n<Reports>${tables
      .map(
        (table) =>
          `\n  <${table.name}>${table.rows.map((row) => `\n    <Row>\n      ${fieldRow(table, row, cdata)}\n    </Row>`).join('')}\n  </${table.name}>`,
      )
      .join('')}\n</Reports>\n</Response>`,
};

type Texts = Readonly<Record<string, string | undefined>>;

/** Records as elements with a child per field, and as elements with an attribute per field. */
export const elements = (tag: string, rows: readonly Texts[]) =>
  rows.map((row) => `<${tag}>${write(row, (name, text) => `<${name}>${text}</${name}>`)}</${tag}>`).join('');
export const attributes = (tag: string, rows: readonly Texts[]) =>
  rows.map((row) => `<${tag}${write(row, (name, text) => ` ${name}="${text}"`)}/>`).join('\n');

const write = (row: Texts, field: (name: string, text: string) => string) =>
  Object.entries(row)
    .map(([name, text = '']) => field(name, text.replaceAll('&', '&amp;')))
    .join('');
