// A short session of the built server under this Node: over stdio, over HTTP, and with the embedded tracker.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

const tracker = createServer((_request, response) => response.end('[{"ID":"7","Name":"Seven"}]'));
await once(tracker.listen(0, '127.0.0.1'), 'listening');
const reached = { TRACKER_URL: `http://127.0.0.1:${tracker.address().port}`, TRACKER_API_KEY: 'key-of-the-smoke-test' };
const call = { method: 'tools/call', params: { name: 'list_campaigns', arguments: {} } };

function start(given, environment) {
  const child = spawn(process.execPath, ['dist/cli.js', ...given], { env: { PATH: process.env.PATH, ...environment } });
  // Leaves nothing running if a check fails.
  process.once('exit', () => child.kill());
  return { child, exited: once(child, 'exit') };
}

async function overStdio() {
  const { child, exited } = start([], reached);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const ask = async (id, message) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...message })}\n`);
    const { id: answered, result } = JSON.parse((await lines.next()).value);
    assert.equal(answered, id);
    return result;
  };
  const about = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'smoke', version: '1' } };
  assert.equal((await ask(1, { method: 'initialize', params: about })).serverInfo.name, 'tracker-mcp');
  assert.ok((await ask(2, { method: 'tools/list' })).tools.some(({ name }) => name === 'list_campaigns'));
  assert.deepEqual((await ask(3, call)).structuredContent.tables[0].rows, [[7, 'Seven']]);
  child.stdin.end();
  assert.deepEqual(await exited, [0, null]);
}

async function overHttp() {
  const { child, exited } = start(['http', '--port', '0'], reached);
  for await (const line of createInterface(child.stderr)) {
    const url = /serving MCP at (\S+?\/mcp)/.exec(line)?.[1];
    if (url === undefined) continue;
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...call });
    const answer = await (await fetch(url, { method: 'POST', headers, body })).json();
    assert.deepEqual(answer.result.structuredContent.tables[0].rows, [[7, 'Seven']]);
    break;
  }
  child.kill('SIGTERM');
  await exited;
}

async function onSandbox() {
  const { child, exited } = start(['call', 'list_campaigns', '--sandbox', '--json'], {});
  const result = JSON.parse(await text(child.stdout));
  assert.equal(result.tables[0].total_rows, 10);
  assert.deepEqual(await exited, [0, null]);
}

await Promise.all([overStdio(), overHttp(), onSandbox()]);
tracker.closeAllConnections();
tracker.close();
