import type { Command } from 'commander';
import { Failure } from '../api/failure.ts';
import { TrackerFailure } from '../client/errors.ts';
import { weaknessOf } from '../client/mask-key.ts';
import {
  askOnce,
  checkCertificate,
  type Finding,
  type HttpResponse,
  isProxied,
  reachHost,
  sentFormat,
} from '../client/probe.ts';
import type { Tracker } from '../client/request.ts';
import { TrackerClient } from '../client/tracker-client.ts';
import { type Config, type Configuration, ConfigurationFailure, type Flags } from '../config.ts';
import { addSettings, configure, guarded, misuse, newCommand, settingsOf } from './command-line.ts';
import { clientConfiguration, serverEntry } from './install/server-entry.ts';
import { type OpenedTracker, type OpenTrackers, openTrackers } from './open-trackers.ts';
import { pasteable, say, typedName } from './process.ts';
import { progressBar, wrap } from './terminal/look.ts';

/** What is checked, in the order in which one thing needs the other. */
const checks = {
  configuration: 'configuration',
  host: 'host',
  tls: 'TLS',
  api: 'API',
  key: 'key, API enabled',
  formats: 'formats',
  speed: 'speed',
  campaigns: 'campaigns',
} as const;

type Check = keyof typeof checks;
/** Reports what was found, or why there was nothing to check. */
type Report = (check: Check, finding: Partial<Finding> & { readonly unneeded?: string }) => void;

/** Statuses that say that there is no API at the address, or none that takes calls now, whatever the key is. */
const noApiStatus = (status: number) => (status >= 300 && status < 400) || [404, 405, 429].includes(status);

/** How often the campaign list is asked for, to say how fast the tracker is. */
const timedReads = 3;

/** A narrower column of text is not worth having. */
const minTextWidth = 30;

/** `tracker-mcp check`: whether the tracker can be used, line by line. */
export function makeCommand(): Command {
  const command = newCommand('tracker-mcp check')
    .description('Checks line by line what works and says what to change. Nothing is written to the tracker.')
    .addHelpText(
      'after',
      '\nExit codes: 0 if everything works, 1 if something fails, 2 if the configuration cannot work.\n\nExample:\n  tracker-mcp check --sandbox',
    );
  return addSettings(command).action(() =>
    guarded(async () => {
      const flags = settingsOf(command);
      const configuration = configure(flags);
      process.exitCode = await checkTrackers(configuration);
      if (process.exitCode === 0) process.stdout.write(linesToPaste(await configuration, flags));
    }),
  );
}

/**
 * Checks each tracker of a configuration and prints a line for each check.
 *
 * @returns the exit code: 0 if all of them can be used
 */
export async function checkTrackers(configuration: Configuration | Promise<Configuration>): Promise<number> {
  let open: OpenTrackers | undefined;
  try {
    open = await openTrackers(await configuration, { onProgress: progressBar('Making sample data') });
    const width = Math.max(...open.opened.map(({ name = '' }) => name.length));
    let exitCode = 0;
    for (const one of open.opened) {
      const heading = one.name === undefined ? '' : `${one.name.padEnd(width)}  `;
      exitCode = Math.max(exitCode, await checkAll(heading, (report) => checkTracker(one, report)));
    }
    return exitCode;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return checkAll('', (report) => report('configuration', { problem: error.message }));
  } finally {
    await open?.close();
  }
}

/**
 * Runs the checks of one tracker and prints a line for each, then one for all that were not reached.
 *
 * @param heading what each line begins with
 * @returns the exit code
 */
async function checkAll(heading: string, run: (report: Report) => Promise<void> | void): Promise<number> {
  const left = new Set(Object.keys(checks) as Check[]);
  let exitCode = 0;
  const report: Report = (check, { says, problem, unneeded }) => {
    left.delete(check);
    if (unneeded) return print('-', heading, checks[check], unneeded);
    if (problem) exitCode = check === 'configuration' ? misuse : 1;
    print(problem ? 'FAIL' : 'ok', heading, checks[check], [says, problem].filter(Boolean).join(' '));
  };
  try {
    await run(report);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const isConfiguration = error instanceof ConfigurationFailure || left.has('configuration');
    report(isConfiguration ? 'configuration' : 'api', { problem: error.message });
  }
  if (left.size > 0) print('-', heading, 'not reached', [...left].map((check) => checks[check]).join(', '));
  return exitCode;
}

/** What a client needs to start a server with this configuration; the key is left for the reader to put in. */
function linesToPaste(configuration: Configuration, flags: Flags): string {
  const entry = serverEntry(configuration, flags, process.env, 'placeholder');
  const lines = clientConfiguration(entry.args[0], { tracker: entry.env }, entry.command);
  return `\nThe lines for a client such as Claude Desktop or Cursor, which ${typedName()} install can write:\n${lines}\n`;
}

/** One line of sentences. On a terminal its words go on below where they began. */
function print(state: 'ok' | 'FAIL' | '-', heading: string, check: string, says: string): void {
  const sentence = (line: string) => (/[.!?:…”)]$/.test(line) ? line : `${line}.`);
  const start = `${state.padEnd(4)}  ${heading}${check.padEnd(16)}  `;
  const { columns } = process.stdout;
  const [first = '', ...more] = pasteable(says).split(/ *\n/);
  const room = Math.max(minTextWidth, (columns ?? 0) - start.length);
  const [line = '', ...below] = (columns ? wrap(sentence(first), room) : sentence(first)).split('\n');
  const indented = below.map((text) => ' '.repeat(start.length) + text);
  say([start + line, ...indented, ...more].join('\n'));
}

async function checkTracker(opened: OpenedTracker, report: Report): Promise<void> {
  const { method, format, tracker } = opened.config;
  const asking = await opened.tracker();
  const asked = `${asking.url}, ${method.toUpperCase()}, ${format}`;
  report('configuration', {
    says: tracker === 'sandbox' ? `The embedded tracker at ${asked}.` : `${asked}, a key is set.`,
  });
  const url = new URL(asking.url);
  if (isProxied(url)) {
    report('host', { unneeded: 'Reached through the proxy that the environment names.' });
    report('tls', { unneeded: 'Checked by each call, through the proxy.' });
  } else {
    const host = await reachHost(url);
    report('host', host);
    if (host.problem) return;
    if (url.protocol === 'https:') {
      const certificate = await checkCertificate(url, new Date());
      report('tls', certificate);
      if (certificate.problem) return;
    } else report('tls', { unneeded: 'Not encrypted: the URL begins with http://.' });
  }
  await checkApi(opened, asking, report);
}

async function checkApi(opened: OpenedTracker, tracker: Tracker, report: Report): Promise<void> {
  const { url, apiKey } = tracker;
  const { config, context } = opened;
  const { method, timeout } = config;
  const { client } = context;
  const start = performance.now();
  const first = await listCampaigns(client);
  const lateMs = performance.now() - start >= timeout ? timeout : undefined;
  if (first instanceof Failure) {
    const isRefusal = first instanceof TrackerFailure && first.outcome === 'refused';
    // What is wrong with an answer that comes without any key is not about the key.
    const response = isRefusal ? await askOnce({ url }, { method, format: 'json' }, timeout) : undefined;
    const isKey = isRefusal && !noApiStatus(response?.status ?? 0) && !endsInApi(url) && !challenge(response);
    if (!isKey) return report('api', { problem: explain(first, url, response, lateMs) });
    report('api', { says: 'It answers.' });
    return report('key', { problem: first.message });
  }
  report('api', { says: `It answers with data, read as: ${first.shape}.` });
  const accepted = ['The key is accepted.', weaknessOf(apiKey)].filter(Boolean).join(' ');
  report('key', { says: apiKey === '' ? 'The tracker asks for none.' : accepted });
  const other = config.format === 'json' ? 'xml' : 'json';
  const otherClient = new TrackerClient({ tracker: opened.tracker, method, format: other, timeoutMs: timeout });
  const isOtherRead = !((await listCampaigns(otherClient)) instanceof Failure);
  report('formats', {
    says: isOtherRead
      ? await formatsSeen(config, tracker)
      : `${config.format} can be read, ${other} cannot; leave TRACKER_FORMAT as it is.`,
  });
  const times: number[] = [];
  for (let read = 0; read < timedReads; read++) {
    const timed = await listCampaigns(client);
    if (timed instanceof Failure) return report('speed', { says: 'It fails now and then.', problem: timed.message });
    times.push(timed.ms);
  }
  const median = [...times].sort((one, other) => one - other)[Math.floor(timedReads / 2)] ?? 0;
  report('speed', {
    says: `${Math.round(median)} ms for the campaign list (median of ${timedReads}).`,
    ...(median * 4 > timeout
      ? { problem: 'Reports take longer than that: raise TRACKER_TIMEOUT_MS to ten times this.' }
      : {}),
  });
  report('campaigns', {
    says: first.count === 0 ? 'None yet: create one in the tracker, which the API cannot.' : `${first.count} found.`,
  });
}

/** A base URL that was copied with the path of the API behind it, which every call adds by itself. */
function endsInApi(url: string): boolean {
  return /\/api$/i.test(url);
}

/** The scheme by which a web server ahead of the tracker asks for a password: Basic or Digest. */
function challenge(response: HttpResponse | undefined): string | undefined {
  const [, scheme] = /^\s*(basic|digest)\b/i.exec(response?.challenge ?? '') ?? [];
  return scheme && scheme.slice(0, 1).toUpperCase() + scheme.slice(1).toLowerCase();
}

/**
 * Why there is no API at the address, as one thing to change: what a call says is about its arguments, of which there are none.
 *
 * @param response what came without a key; undefined if nothing did, or it was not asked
 * @param lateMs the whole time of a call, if it went by
 */
function explain(failure: Failure, url: string, response: HttpResponse | undefined, lateMs?: number): string {
  if (endsInApi(url)) {
    return `There is no API below ${url}: each call adds /api by itself. Set TRACKER_URL to ${url.replace(/\/api$/i, '')}.`;
  }
  const scheme = challenge(response);
  if (scheme !== undefined) {
    return `The web server asks for a user name and password of its own (HTTP ${scheme}), ahead of the tracker: the API key was not looked at. Have it let calls below ${url}/api through without them; a TRACKER_URL cannot hold them.`;
  }
  if (lateMs !== undefined) {
    return `A connection is made, and no answer comes within ${lateMs / 1000} s. Check that TRACKER_URL leads to the tracker’s web server, and that this is not stuck; one that is slow needs a higher TRACKER_TIMEOUT_MS.`;
  }
  const encrypted = url.replace(/^http:/, 'https:');
  if (encrypted !== url && response?.location?.startsWith(`${encrypted}/`)) {
    return `It sends every call on from http:// to https://. Set TRACKER_URL to ${encrypted}.`;
  }
  if (response?.status === 404) {
    return `There is no API below ${url} (HTTP 404). Check TRACKER_URL: it is the tracker’s base URL, with its subfolder if it has one.`;
  }
  return failure.message;
}

/** One read of the campaign list: how many there are, how they were written, and how long it took. */
async function listCampaigns(client: TrackerClient): Promise<{ count: number; shape: string; ms: number } | Failure> {
  const start = performance.now();
  try {
    const { reply, shape } = await client.read('list_campaigns', {});
    const count = reply.tables[0]?.rowCount ?? 0;
    return { count, shape, ms: performance.now() - start };
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** What the tracker sends when it is asked for either format. */
async function formatsSeen({ method, timeout }: Config, tracker: Tracker): Promise<string> {
  const json = await sentFormat(tracker, { method, format: 'json' }, timeout);
  const xml = await sentFormat(tracker, { method, format: 'xml' }, timeout);
  if (json === 'json' && xml === 'xml') return 'json and xml can be read.';
  if (json === xml) return `The tracker sends ${json} whatever it is asked for, which can be read.`;
  return `Asked for json the tracker sends ${json}, asked for xml ${xml}; both can be read.`;
}
