import type { Command } from 'commander';
import { cleanText } from '../api/text/clean-text.ts';
import { ConfigurationFailure } from '../config.ts';
import { type AuditedWrite, readAuditLog } from '../guard/read-audit-log.ts';
import { quotedName } from '../tools/get-proposal.ts';
import { addSetting, givenSetting, newCommand, reportFailures } from './command-line.ts';
import { print } from './process.ts';
import { lookOfOutput } from './terminal/look.ts';
import { renderTable, type TableCell } from './terminal/render-table.ts';

/** `tracker-mcp audit`: prints the audit trail, and the writes with an unknown outcome. */
export function makeCommand(): Command {
  const command = newCommand('tracker-mcp audit')
    .description('Prints the audit trail as a table, then the writes whose outcome is unknown.')
    .argument('[file]', 'the audit log; by default the file that TRACKER_AUDIT_LOG names')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  tracker-mcp audit writes.jsonl')
    .action((file: string | undefined, { json }: { json?: true }) =>
      reportFailures(() => printAudit(file ?? givenSetting(command, 'auditLog'), json ?? false)),
    );
  return addSetting(command, 'auditLog', 'the audit log, as the setting of a server names it [TRACKER_AUDIT_LOG]');
}

async function printAudit(file: string | undefined, asJson: boolean): Promise<void> {
  if (!file) throw new ConfigurationFailure('No audit log is named.', 'Give the file, or set TRACKER_AUDIT_LOG.');
  const { writes, unreadable } = await readAuditLog(file);
  const unknown = writes.filter(({ outcome }) => outcome === 'unknown');
  if (asJson) return print(visibleJson({ writes, unknown: unknown.map(({ operation }) => operation), unreadable }));
  const parts = [
    writes.length === 0 ? 'No writes.' : renderWrites(writes),
    ...(unreadable > 0 ? [`Lines that could not be read: ${unreadable}.`] : []),
    unknown.length === 0
      ? 'No write has an unknown outcome.'
      : `Outcome unknown; look in the tracker whether these were carried out:\n${unknown.map(describe).join('\n')}`,
  ];
  print(parts.join('\n\n'));
}

const columns: Readonly<Record<string, (write: AuditedWrite) => TableCell>> = {
  'time (UTC)': ({ time }) => time,
  tracker: ({ tracker_name: name }) => name ?? null,
  tool: ({ tool }) => tool,
  outcome: ({ outcome }) => outcome,
  ID: ({ id }) => id,
  ms: ({ durationMs }) => durationMs,
  client: ({ client, owner, approver }) =>
    `${quotedName(client)}${owner === null ? '' : ` (${owner})`}${approver === undefined ? '' : `, approved by ${approver}`}`,
  arguments: ({ arguments: given }) => inWords(given),
};

function renderWrites(writes: readonly AuditedWrite[]): string {
  const hasTrackers = writes.some(({ tracker_name: name }) => name !== undefined);
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
