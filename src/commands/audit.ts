import { join } from 'node:path';
import type { Command } from 'commander';
import type { ShownCell } from '../answer/blocks.ts';
import { quote } from '../answer/words.ts';
import { Failure } from '../api/failure.ts';
import { cleanText } from '../api/text/clean-text.ts';
import { whyNot } from '../files/at-path.ts';
import { ifThere, listNames } from '../files/read-file.ts';
import { type AuditedWrite, type AuditLog, readAuditLog } from '../guard/read-audit-log.ts';
import { addSetting, givenSetting, newCommand, reportFailures } from './command-line.ts';
import { print, printJson } from './process.ts';
import { lookOfOutput } from './terminal/look.ts';
import { renderTable } from './terminal/render-table.ts';
import { changeLogFolder } from './user-folders.ts';

export function makeCommand(): Command {
  const command = newCommand('tracker-mcp audit')
    .description('Prints the audit trail as a table, then the writes whose outcome is unknown.')
    .argument(
      '[file]',
      'the audit log; by default the file that TRACKER_AUDIT_LOG names, else all change logs of this user',
    )
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  tracker-mcp audit writes.jsonl')
    .action((file: string | undefined, { json }: { json?: true }) =>
      reportFailures(() => printAudit(file ?? givenSetting(command, 'auditLog'), json ?? false)),
    );
  return addSetting(command, 'auditLog', 'the audit log, as the setting of a server names it [TRACKER_AUDIT_LOG]');
}

async function printAudit(file: string | undefined, asJson: boolean): Promise<void> {
  const { writes, unreadable } = await (file && file !== 'none' ? readAuditLog(file) : readChangeLogs());
  const unknown = writes.filter(({ outcome }) => outcome === 'unknown');
  if (asJson) return printJson(visibleJson({ writes, unknown: unknown.map(({ operation }) => operation), unreadable }));
  const parts = [
    writes.length > 0 ? renderWrites(writes) : unreadable > 0 ? 'No write could be read.' : 'No writes.',
    ...(unreadable > 0 ? [`Lines that could not be read: ${unreadable}.`] : []),
    unknown.length === 0
      ? `No write${unreadable > 0 ? ' that could be read' : ''} has an unknown outcome.`
      : `Outcome unknown; look in the tracker whether these were carried out:\n${unknown.map(describe).join('\n')}`,
  ];
  print(parts.join('\n\n'));
}

/** The changes of all accounts that servers and calls of this user keep unasked, oldest first. */
async function readChangeLogs(): Promise<AuditLog> {
  const folder = changeLogFolder();
  const names = await ifThere(listNames(folder, /[\da-f]{32}\.jsonl(\.\d+)?/)).catch((error: unknown) => {
    throw new Failure(`The change logs in ${folder} cannot be read (${whyNot(error)}).`);
  });
  // A log that was just rotated has only files with a number behind its name.
  const paths = new Set(names?.flatMap((name) => /^[\da-f]{32}\.jsonl/.exec(name) ?? []));
  const logs = await Promise.all([...paths].map((name) => readAuditLog(join(folder, name), { mayBeMissing: true })));
  return {
    writes: logs.flatMap(({ writes }) => writes).sort((one, other) => Date.parse(one.time) - Date.parse(other.time)),
    unreadable: logs.reduce((sum, { unreadable }) => sum + unreadable, 0),
  };
}

const columns: Readonly<Record<string, (write: AuditedWrite) => ShownCell>> = {
  'time (UTC)': ({ time }) => time,
  tracker: trackerOf,
  tool: ({ tool }) => tool,
  outcome: ({ outcome }) => outcome,
  ID: ({ id }) => id,
  ms: ({ durationMs }) => durationMs,
  client: ({ client, owner, approver }) =>
    `${quote(client, 60)}${owner === null ? '' : ` (${owner})`}${approver === undefined ? '' : `, approved by ${approver}`}`,
  change: ({ change, set }) => (change === undefined ? null : `${change}${set ? ` of set ${set.id}` : ''}`),
  arguments: ({ arguments: given }) => inWords(given),
  before: ({ before }) => inWords(before),
};

function trackerOf({ tracker_name: name, tracker }: AuditedWrite): string | null {
  return name ?? (tracker === undefined ? null : cleanText(tracker));
}

function renderWrites(writes: readonly AuditedWrite[]): string {
  const hasTrackers =
    new Set(writes.map(trackerOf)).size > 1 || writes.some((write) => write.tracker_name !== undefined);
  const shown = Object.entries(columns).filter(([name]) => hasTrackers || name !== 'tracker');
  const names = shown.map(([name]) => name);
  const rows = writes.map((write) => shown.map(([, cellOf]) => cellOf(write)));
  return renderTable(names, rows, lookOfOutput());
}

function describe({ time, tool, tracker_name: name, arguments: given }: AuditedWrite): string {
  return `  ${time}  ${name === undefined ? '' : `${name}  `}${tool}  ${inWords(given)}`;
}

function inWords(given: Readonly<Record<string, unknown>>): string {
  const words = Object.entries(given).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return cleanText(words.join(' '));
}

/** JSON for a terminal: invisible characters are escaped, which does not change the data. */
function visibleJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/[\x7f-\x9f\p{Cf}]/gu, (character) =>
    character
      .split('')
      .map((half) => `\\u${half.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
