import type { Command } from 'commander';
import { dayInWords } from '../answer/words.ts';
import { Failure } from '../api/failure.ts';
import { countInWords } from '../api/rules.ts';
import { type ServerAnswer, type ServerConnection, startServer } from '../mcp/client.ts';
import { comparisonOutput } from '../tools/detail-tools.ts';
import { shiftDays, today } from '../tools/period.ts';
import { tablesOutput } from '../tools/present/outputs.ts';
import { version } from '../version.ts';
import { newCommand, reportFailures } from './command-line.ts';
import { clientConfiguration } from './install/server-entry.ts';
import { commandLinePath, print, typedName } from './process.ts';
import { startEmbeddedTracker } from './sandbox/embedded-tracker.ts';
import { breakableJson, wrap } from './terminal/look.ts';
import { renderResult } from './terminal/render-result.ts';

const screenWidth = 80;

/** Home fitness, in the sample data. */
const campaign_id = 1;

/** Whole days for which a landing page of "Phone plans" has had no clicks. */
const brokenForDays = 4;

type Given = Readonly<Record<string, unknown>>;

/** Calls a tool, and shows the call and its answer. */
type Play = (tool: string, given: Given, maxLines?: number) => Promise<ServerAnswer>;

export function makeCommand(): Command {
  return newCommand('tracker-mcp demo')
    .description('Shows six jobs done through a real MCP client over stdio, on an embedded tracker with sample data.')
    .addHelpText('after', '\nExample:\n  tracker-mcp demo')
    .action(() => reportFailures(run));
}

async function run(): Promise<void> {
  const sandbox = await startEmbeddedTracker({});
  try {
    const server = await startServer(process.execPath, [...process.execArgv, commandLinePath()], {
      version,
      environment: { TRACKER_URL: sandbox.url, TRACKER_API_KEY: sandbox.apiKey },
    });
    try {
      print(
        `An embedded tracker with 30 days of sample visits runs at ${sandbox.url}`,
        `An MCP client has started tracker-mcp over stdio: ${server.toolCount} tools.`,
      );
      await playJobs(playOn(server));
    } finally {
      await server.close();
    }
  } finally {
    await sandbox.close();
  }
  print(
    `\nTo use it in your chat program, on sample data or your own tracker:\n  ${typedName()} install`,
    'Or put these lines into its settings yourself, for sample data:',
    clientConfiguration(commandLinePath(), { tracker: { TRACKER_SANDBOX: '1' } }),
  );
}

async function playJobs(play: Play): Promise<void> {
  print('\n1. "How is my account doing, against the week before?"');
  await play('get_overview', {
    columns: ['Name', 'Cost', 'Profit', 'ROI', 'Profit change'],
    sort_by: 'Profit change',
    sort_order: 'asc',
    limit: 4,
  });

  print('\n2. "What needs me today?"');
  await play('review_account', { limit: 3 }, 10);

  const now = today('UTC', new Date());
  const since = shiftDays(now, -brokenForDays);
  print(`\n3. "Profit of Phone plans is down since ${dayInWords(since)}. Why?"`);
  await play('explain_change', { campaign_id: 'Phone plans', start_date: since, end_date: shiftDays(now, -1) }, 7);

  print('\n4. "Which offer of Home fitness earns most, and how sure is that?"');
  const comparison = await play('compare_pages', { campaign_id, kind: 'offer', period: 'last_30_days' }, 17);
  const [call] = comparisonOutput().parse(comparison.structured).calls;
  if (!call) throw new Failure('The comparison of the sample data recommends nothing.');

  print('\n5. "Do that. ... No, take it back."');
  const { structured } = await play(call.tool, call.arguments, 8);
  await play('undo_change', { change_id: String(structured['change_id']) }, 5);

  print('\n6. "The network asks about our last conversion. What happened there?"');
  const conversions = await play('list_conversions', {
    campaign_id,
    period: 'last_30_days',
    columns: ['Date', 'SubID', 'Offer', 'Revenue'],
    sort_by: 'Date',
    limit: 1,
  });
  await play('diagnose_subid', { subid: cellOf(conversions, 'SubID') }, 10);
}

function playOn(server: ServerConnection): Play {
  return async (tool, given, maxLines = Number.POSITIVE_INFINITY) => {
    const words = Object.entries(given).map(([name, value]) => `${name}=${write(value)}`);
    print('', ...fit(`> ${[tool, ...words].join(' ')}`));
    const answer = await server.callTool(tool, given);
    // The notices are for the agent.
    const blocks = answer.blocks.filter((block) => typeof block === 'string' || 'is' in block || 'lines' in block);
    const lines = renderResult({ ...answer, blocks }, { width: screenWidth - 2, shape: 'table', isColoured: false })
      .split('\n')
      .filter(Boolean);
    const shown = lines.slice(0, maxLines);
    if (shown.length < lines.length) shown.push(`… ${countInWords(lines.length - shown.length, 'more line')}`);
    print(...shown.flatMap(fit).map((line) => `  ${line}`));
    return answer;
  };
}

function cellOf({ structured }: ServerAnswer, column: string): string {
  const [table] = tablesOutput().parse(structured).tables;
  const cell = table?.rows[0]?.[table.columns.indexOf(column)];
  if (cell === undefined || cell === null) throw new Failure(`The embedded tracker returned no ${column}.`);
  return String(cell);
}

function write(value: unknown): string {
  if (Array.isArray(value) && typeof value[0] === 'object') return breakableJson(value);
  const text = Array.isArray(value) ? value.join(',') : String(value);
  return /\s/.test(text) ? JSON.stringify(text) : text;
}

/** A line wrapped to the screen. */
function fit(line: string): string[] {
  return wrap(line, screenWidth - 2, '    ').split('\n');
}
