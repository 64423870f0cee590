import type { Command } from 'commander';
import { gridOfText } from '../analysis/reconcile/statement-grid.ts';
import { isOf } from '../answer/blocks.ts';
import type { Note } from '../answer/notes.ts';
import { decodeBytes } from '../api/text/decode-bytes.ts';
import { ConfigurationFailure } from '../config.ts';
import { FileProblem, findFile, whyNot } from '../files/at-path.ts';
import { readBytes } from '../files/read-file.ts';
import { type Structured, type Tool, type ToolResult, wholeAnswer, wordResult } from '../tools/define-tool.ts';
import { questionInput, reconcileConversions } from '../tools/detail-tools.ts';
import { reconcileStatement } from '../tools/reconcile/reconcile-conversions.ts';
import { addArguments, argumentsOf, callFromCommand } from './call.ts';
import { newCommand, reportFailures, settingsOf } from './command-line.ts';
import { printToStderr, typedName } from './process.ts';
import { type OutputForm, outputFormOf, printResult } from './terminal/output.ts';

const maxMegabytes = 64;
const maxBytes = maxMegabytes * 1_000_000;
const maxLines = 500_000;

const notes = `
FILE is CSV, TSV or another list as text, in UTF-8, UTF-16 or Windows-1252, of at most ${maxMegabytes} MB and ${maxLines.toLocaleString('en-US')} lines; - reads
standard input. Excel files are exported as CSV first. Nothing of the file is kept.
--csv and --json have every line and every conversion of its networks, with its class; the table has sums and examples.

Examples:
  tracker-mcp reconcile statement.csv
  tracker-mcp reconcile statement.csv --class statement_only --limit 100
  tracker-mcp reconcile statement.csv --csv > compared.csv`;

export function makeCommand(): Command {
  const command = newCommand('tracker-mcp reconcile')
    .usage('[settings] FILE [--argument value ...] [--json | --csv]')
    .description('Compares a network’s statement with the tracker’s conversions, by subID.')
    .argument('<file>', 'the statement; - is standard input')
    .optionsGroup('Arguments:');
  addArguments(command, { input: questionInput });
  return command.addHelpText('after', notes).action((file: string) =>
    reportFailures(async () => {
      const form = outputFormOf(command);
      const given = argumentsOf(command, { input: questionInput });
      const isPage = given['limit'] !== undefined || given['offset'] !== undefined;
      const isWhole = (form === 'csv' || form === 'json') && !isPage;
      const { text, notices } = decode(await read(file));
      const grid = await gridOfText(text, maxLines);
      // The answer of a tool is cut to a limit. This keeps the whole answer.
      let whole: ToolResult | undefined;
      const tool: Tool = {
        ...reconcileConversions,
        input: questionInput,
        call: async (asked, context) => {
          const noted = { ...grid, notices: [...notices, ...grid.notices] };
          const answer = await reconcileStatement(() => noted, questionInput().parse(asked), context, isWhole);
          if (!isWhole) return answer;
          whole = context.client.withoutKey(wordResult(answer.render(answer.parts.map(({ count }) => count))));
          return wholeAnswer({}, []);
        },
      };
      const result = await callFromCommand(tool, given, settingsOf(command));
      printAnswer(whole ? mergeResults(result, whole) : result, form);
    }),
  );
}

/** Adds what the call itself returned, such as the tracker's name, to the whole result of the tool. */
function mergeResults(extra: ToolResult, whole: ToolResult): ToolResult {
  const both = [extra, whole];
  const notices = both.flatMap(({ structured }): unknown[] => [...(structured['notices'] ?? [])]);
  const structured = { ...extra.structured, ...whole.structured, notices } as Structured;
  return { ...whole, structured, remarks: both.flatMap(({ remarks }) => remarks) };
}

/** Prints a result; CSV is the list alone, and the notices go to stderr. */
function printAnswer(result: ToolResult, form: OutputForm): void {
  if (form !== 'csv') {
    printResult(result, form, `${typedName()} call`);
    return;
  }
  printResult({ ...result, blocks: result.blocks.filter((block) => isOf(block, 'page')).slice(-1) }, form, '');
  for (const remark of result.remarks) if (remark !== null) printToStderr(remark);
}

/** @throws ConfigurationFailure if it cannot be read or is too large, without reading it to its end */
async function read(file: string): Promise<Buffer> {
  if (file === '-') return readStandardInput();
  try {
    const { about } = await findFile(file);
    if (about && about.size > maxBytes) throw tooLarge(`${file} has ${Math.ceil(Number(about.size) / 1_000_000)} MB`);
    return (await readBytes(file, { maxBytes })).bytes;
  } catch (error) {
    if (error instanceof ConfigurationFailure) throw error;
    const isPipe = error instanceof FileProblem && error.code === 'pipe';
    const next = isPipe ? 'To read what another program prints, give - as the file.' : '';
    throw new ConfigurationFailure(`${file} cannot be read: ${whyNot(error)}.`, next);
  }
}

async function readStandardInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes) throw tooLarge(`Standard input has over ${maxMegabytes} MB`);
  }
  return Buffer.concat(chunks);
}

const tooLarge = (what: string) =>
  new ConfigurationFailure(`${what}; a statement may have ${maxMegabytes} MB.`, 'Split it, for example by month.');

/** Decodes UTF-16 or UTF-8, otherwise Windows-1252, in which unassigned bytes become control characters. */
function decode(bytes: Buffer): { readonly text: string; readonly notices: readonly Note[] } {
  const utf16 = detectUtf16(bytes);
  if (utf16) return { text: new TextDecoder(utf16).decode(bytes), notices: [] };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), notices: [] };
  } catch {
    return { text: decodeBytes(bytes, 'windows-1252'), notices: [{ code: 'read-as-windows-1252' }] };
  }
}

/** Detects UTF-16 by its byte order mark, or by zeros in every second byte. */
function detectUtf16(bytes: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const beginning = bytes.subarray(0, 1000);
  const zeros = (parity: number) => beginning.filter((byte, index) => index % 2 === parity && byte === 0).length * 2;
  const [even, odd] = [zeros(0) / beginning.length, zeros(1) / beginning.length];
  if (odd > 0.6 && even < 0.1) return 'utf-16le';
  return even > 0.6 && odd < 0.1 ? 'utf-16be' : undefined;
}
