import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A tracker without any work behind it, in a process of its own: campaign N answers a target report of N rows. */

const keywords = ['running shoes', 'cheap flights', 'home insurance', 'crypto wallet', 'keto recipes'];

function reportRow(index: number): Record<string, string> {
  const views = 40 + ((index * 7919) % 4000);
  const clicks = Math.floor(views * (0.1 + (index % 7) / 20));
  const conversions = Math.floor(clicks / (9 + (index % 11)));
  const cost = views * 0.0175;
  const revenue = conversions * 3.4;
  return {
    Keyword: `${keywords[index % keywords.length]} ${index + 1}`,
    Views: String(views),
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

const bodies = new Map<number, Buffer>();

function bodyOf(rows: number): Buffer {
  const body =
    bodies.get(rows) ??
    Buffer.from(
      JSON.stringify({ Status: 'OK', Reports: { target: Array.from({ length: rows }, (_, i) => reportRow(i)) } }),
    );
  bodies.set(rows, body);
  return body;
}

const server = createServer(async (request, response) => {
  let form = '';
  for await (const chunk of request) form += chunk;
  const body = bodyOf(Number(new URLSearchParams(form).get('camp')));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
});

server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
// The bench holds the other end of stdin, so that nothing is left running when it ends in any way.
process.stdin.resume().once('end', () => process.exit());
