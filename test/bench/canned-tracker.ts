import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A tracker that does no work, in its own process: the quick view of a question is the number of rows of its target
 * report. Each answer differs from the one before, so that no cache can replace work.
 */

const keywords = ['running shoes', 'cheap flights', 'home insurance', 'crypto wallet', 'keto recipes'];

/** The place of the five digits that differ from answer to answer. */
const changing = '#####';

function reportRow(index: number): Record<string, string> {
  const views = 40 + ((index * 7919) % 4000);
  const clicks = Math.floor(views * (0.1 + (index % 7) / 20));
  const conversions = Math.floor(clicks / (9 + (index % 11)));
  const cost = views * 0.0175;
  const revenue = conversions * 3.4;
  return {
    Keyword: `${keywords[index % keywords.length]} ${index + 1}`,
    Views: index === 0 ? changing : String(views),
    Clicks: String(clicks),
    CTR: ((100 * clicks) / views).toFixed(2),
    Conversions: String(conversions),
    CR: (clicks === 0 ? 0 : (100 * conversions) / clicks).toFixed(2),
    Cost: cost.toFixed(2),
    CPV: (cost / views).toFixed(4),
    Revenue: revenue.toFixed(2),
    EPV: (revenue / views).toFixed(4),
    Profit: (revenue - cost).toFixed(2),
    ROI: ((100 * (revenue - cost)) / cost).toFixed(2),
  };
}

type Rows = readonly Readonly<Record<string, string>>[];

const formats: Readonly<Record<string, { readonly type: string; readonly write: (rows: Rows) => string }>> = {
  json: { type: 'application/json', write: (rows) => JSON.stringify({ Status: 'OK', Reports: { target: rows } }) },
  xml: {
    type: 'application/xml',
    write: (rows) => {
      const cellsOf = (row: Rows[number]) => Object.entries(row).map(([name, cell]) => `<${name}>${cell}</${name}>`);
      const elements = rows.map((row) => `<row>${cellsOf(row).join('')}</row>`).join('');
      return `<response><Status>OK</Status><Reports><target>${elements}</target></Reports></response>`;
    },
  },
};

/** The text before the changing digits, and after them. */
const parts = new Map<string, readonly Buffer[]>();
const nothing = Buffer.alloc(0);
let answers = 0;

function partsOf(format: string, rows: number): readonly Buffer[] {
  const name = `${format} ${rows}`;
  const known = parts.get(name);
  if (known) return known;
  const text = formats[format]?.write(Array.from({ length: rows }, (_, index) => reportRow(index))) ?? '';
  const made = text.split(changing).map((part) => Buffer.from(part));
  parts.set(name, made);
  return made;
}

const server = createServer(async (request, response) => {
  let form = '';
  for await (const chunk of request) form += chunk;
  const question = new URLSearchParams(form);
  const format = question.get('format') ?? 'json';
  const [before = nothing, after = nothing] = partsOf(format, Number(question.get('qv')));
  answers += 1;
  const body = Buffer.concat([before, Buffer.from(String(10_000 + (answers % 90_000))), after]);
  response.writeHead(200, { 'content-type': formats[format]?.type, 'content-length': body.length }).end(body);
});

server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
// The bench holds the other end of stdin, so that nothing is left running when it ends in any way.
process.stdin.resume().once('end', () => process.exit());
