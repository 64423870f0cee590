// What the SDK gives without further work: one tool, one request, the tracker's text passed on. The bench compares with it.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { request } from 'undici';
import { z } from 'zod';

const server = new McpServer({ name: 'minimal', version: '1.0.0' });

server.registerTool(
  'get_stats',
  {
    description: 'Performance reports of a campaign.',
    inputSchema: {
      campaign_id: z.number().int().min(1),
      reports: z.array(z.string()).optional(),
      quick_view_id: z.number().int().optional(),
    },
  },
  async ({ campaign_id, reports, quick_view_id }) => {
    const parameters = new URLSearchParams({ key: process.env.TRACKER_API_KEY, camp: String(campaign_id) });
    if (reports) parameters.set('report', reports.join(','));
    if (quick_view_id) parameters.set('qv', String(quick_view_id));
    const { body } = await request(`${process.env.TRACKER_URL}/api/stats/`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: parameters.toString(),
    });
    return { content: [{ type: 'text', text: await body.text() }] };
  },
);

await server.connect(new StdioServerTransport());
