// What the SDK gives without further work: one tool, one request, the tracker's text passed on. The bench compares with it.
// With --http it is the SDK's stateless server: one for each request.
import { createServer as createHttpServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { request } from 'undici';
import { z } from 'zod';

const description = {
  description: 'Performance reports of a campaign.',
  inputSchema: {
    campaign_id: z.number().int().min(1),
    reports: z.array(z.string()).optional(),
    quick_view_id: z.number().int().optional(),
  },
};

function createServer() {
  const server = new McpServer({ name: 'minimal', version: '1.0.0' });
  server.registerTool('get_stats', description, async ({ campaign_id, reports, quick_view_id }) => {
    const parameters = new URLSearchParams({ key: process.env.TRACKER_API_KEY, camp: String(campaign_id) });
    if (reports) parameters.set('report', reports.join(','));
    if (quick_view_id) parameters.set('qv', String(quick_view_id));
    const { body } = await request(`${process.env.TRACKER_URL}/api/stats/`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: parameters.toString(),
    });
    return { content: [{ type: 'text', text: await body.text() }] };
  });
  return server;
}

async function answer(request, response) {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  await createServer().connect(transport);
  await transport.handleRequest(request, response);
}

if (process.argv.includes('--http')) {
  const listener = createHttpServer(answer);
  listener.listen(0, '127.0.0.1', () =>
    console.error(`serving MCP at http://127.0.0.1:${listener.address().port}/mcp`),
  );
} else {
  await createServer().connect(new StdioServerTransport());
}
