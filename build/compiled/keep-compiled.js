// Keeps what V8 compiles of the program, for later starts to take it from: a server is started, asked what clients ask first,
// and writes it down as it ends.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** See keep-compiled.d.ts. */
export const compiledFile = `dist/program-${process.version}-${process.arch}.compiled`;

/** Reports of a size that is read by parsing, and of one that is scanned; by campaign. */
const rowsOf = { 1: 10, 2: 1000, 3: 1000 };
/** Its report is XML. */
const campaignInXml = '3';

const initialize = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'build', version: '1' },
};
const calls = [
  ['list_campaigns', {}],
  ['get_stats', { campaign_id: 1, reports: ['target'] }],
  ['get_stats', { campaign_id: 3, reports: ['target'] }],
  ['get_breakdown', { campaign_id: 2, by: ['day'], period: 'today' }],
  ['edit_campaign', { campaign_id: 1, bid: 0.5, dry_run: true }],
];
const requests = [
  ['initialize', initialize],
  ['tools/list', {}],
  ...calls.map(([name, given]) => ['tools/call', { name, arguments: given }]),
];

/** See keep-compiled.d.ts. */
export async function keepCompiled(file = compiledFile) {
  const tracker = createServer(answerAsTracker);
  await once(tracker.listen(0, '127.0.0.1'), 'listening');
  try {
    // Nothing of the surroundings may change what the server does; Windows starts no process without its root.
    const env = {
      SystemRoot: process.env.SystemRoot,
      TRACKER_URL: `http://127.0.0.1:${tracker.address().port}`,
      TRACKER_API_KEY: 'key-of-the-build',
    };
    const runner = fileURLToPath(new URL('run-and-keep.js', import.meta.url));
    const running = promisify(execFile)(process.execPath, [runner, 'dist/program.cjs', file], {
      env,
      maxBuffer: 16_000_000,
    });
    const messages = requests.map(([method, params], id) => JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    running.child.stdin.end(messages.map((message) => `${message}\n`).join(''));
    const { stdout } = await running;
    const answers = stdout.split('\n').filter((line) => line.includes('"result"') && !line.includes('"isError":true'));
    if (answers.length < requests.length) throw new Error(`What was built does not answer as it should:\n${stdout}`);
  } finally {
    tracker.close();
  }
}

async function answerAsTracker(request, response) {
  let form = '';
  for await (const chunk of request) form += chunk;
  const campaign = new URLSearchParams(form || new URL(request.url, 'http://tracker').search).get('camp');
  const rows = Array.from({ length: rowsOf[campaign] ?? 1 }, (_, index) => ({
    ID: String(index + 1),
    Name: `Running shoes ${index + 1}`,
    Type: '1',
    Bid: '0.0125',
    Views: String(1000 - index),
    Revenue: (index * 1.7).toFixed(2),
  }));
  if (campaign === campaignInXml) {
    const elements = rows.map((row) => `<row>${Object.entries(row).map(elementOf).join('')}</row>`);
    response.setHeader('content-type', 'application/xml').end(`<target>${elements.join('')}</target>`);
    return;
  }
  const answer = request.url.includes('stats') ? { Status: 'OK', Reports: { target: rows } } : rows;
  response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
}

function elementOf([name, text]) {
  return `<${name}>${text}</${name}>`;
}
