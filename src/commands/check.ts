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
import { addSettings, misuse, newCommand, reportFailures, settingsOf } from './command-line.ts';
import { clientConfiguration, serverEntry } from './install/server-entry.ts';
import { type OpenedTracker, type OpenTrackers, openTrackers } from './open-trackers.ts';
import { pasteable, print, typedName, wrapped } from './process.ts';
import { configureAtTerminal } from './stored-trackers.ts';
import { wrap } from './terminal/look.ts';

/** In order: each check needs the one before. */
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
/** Reports the finding of a check, or why the check is not needed. */
type Report = (
  check: Check,
  finding: Partial<Finding> & { readonly unneeded?: string; readonly rightUrl?: string | undefined },
) => void;

interface CheckResult {
  /** 0 if all trackers can be used. */
  readonly exitCode: number;
  /** The URL to set instead, if the check has found it. */
  readonly rightUrl?: string | undefined;
}

/** With these statuses there is no API at the address, or it takes no calls now, whatever the key is. */
const isNoApiStatus = (status: number) => (status >= 300 && status < 400) || [404, 405, 429].includes(status);

/** What does not answer sooner is not offered. */
const maxOfferMs = 5000;

/** Reads of the campaign list that are timed. */
const timedReads = 3;

export function makeCommand(): Command {
  const command = newCommand('tracker-mcp check')
    .description(
      'Tests the connection to the tracker line by line, and says what to change. Nothing is written to the tracker.',
    )
    .addHelpText(
      'after',
      '\nExit codes: 0 if everything works, 1 if something fails, 2 if the configuration cannot work.\n\nExample:\n  tracker-mcp check --sandbox',
    );
  return addSettings(command).action(() =>
    reportFailures(async () => {
      const flags = settingsOf(command);
      const configuration = configureAtTerminal(flags);
      process.exitCode = (await checkTrackers(configuration)).exitCode;
      if (process.exitCode === 0 && !(await configuration).isStored)
        process.stdout.write(linesToPaste(await configuration, flags));
    }),
  );
}

/** Checks each tracker of a configuration and prints a line for each check. */
export async function checkTrackers(configuration: Configuration | Promise<Configuration>): Promise<CheckResult> {
  let open: OpenTrackers | undefined;
  try {
    open = await openTrackers(await configuration);
    const width = Math.max(...open.opened.map(({ name = '' }) => name.length));
    let [exitCode, rightUrl]: [number, string | undefined] = [0, undefined];
    for (const one of open.opened) {
      const heading = one.name === undefined ? '' : `${one.name.padEnd(width)}  `;
      const result = await checkAll(heading, (report) => checkTracker(one, report));
      exitCode = Math.max(exitCode, result.exitCode);
      rightUrl ??= result.rightUrl;
    }
    return { exitCode, rightUrl };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return checkAll('', (report) => report('configuration', { problem: error.message }));
  } finally {
    await open?.close();
  }
}

/**
 * Runs the checks of one tracker and prints a line for each, then one for all checks that were not reached.
 *
 * @param heading the start of each line
 */
async function checkAll(heading: string, run: (report: Report) => Promise<void> | void): Promise<CheckResult> {
  const remaining = new Set(Object.keys(checks) as Check[]);
  let [exitCode, rightUrl]: [number, string | undefined] = [0, undefined];
  const report: Report = (check, { message, problem, unneeded, rightUrl: found }) => {
    remaining.delete(check);
    rightUrl ??= found;
    if (unneeded) return printCheck('-', heading, checks[check], unneeded);
    if (problem) exitCode = check === 'configuration' ? misuse : 1;
    printCheck(problem ? 'FAIL' : 'ok', heading, checks[check], [message, problem].filter(Boolean).join(' '));
  };
  try {
    await run(report);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const isConfiguration = error instanceof ConfigurationFailure || remaining.has('configuration');
    report(isConfiguration ? 'configuration' : 'api', { problem: error.message });
  }
  if (remaining.size > 0)
    printCheck('-', heading, 'not reached', [...remaining].map((check) => checks[check]).join(', '));
  return { exitCode, rightUrl };
}

/** The entry for a client that starts a server with this configuration; the reader has to put in the key. */
function linesToPaste(configuration: Configuration, flags: Flags): string {
  const entry = serverEntry(configuration, flags, process.env, 'placeholder');
  const lines = clientConfiguration(entry.args[0], { tracker: entry.env }, entry.command);
  return `\nThe lines for a client such as Claude Desktop or Cursor, which ${typedName()} install can write:\n${lines}\n`;
}

/** Prints one line of sentences. On a terminal, further lines are indented to the start of the sentences. */
function printCheck(state: 'ok' | 'FAIL' | '-', heading: string, check: string, text: string): void {
  const sentence = (line: string) => (/[.!?:…”)]$/.test(line) ? line : `${line}.`);
  const start = `${state.padEnd(4)}  ${heading}${check.padEnd(16)}  `;
  const { columns } = process.stdout;
  const [first = '', ...more] = pasteable(text)
    .split('\n')
    .map((line) => line.trimEnd());
  const width = Math.max(30, (columns ?? 0) - start.length);
  const lines = columns ? wrap(sentence(first), width).split('\n') : [sentence(first)];
  print(start + lines.join(`\n${' '.repeat(start.length)}`), ...more.map((line) => wrapped(line, '    ')));
}

async function checkTracker(opened: OpenedTracker, report: Report): Promise<void> {
  const { config } = opened;
  const tracker = await opened.tracker();
  const where = `${tracker.url}, ${config.method.toUpperCase()}, ${config.format}`;
  report('configuration', {
    message: config.tracker === 'sandbox' ? `The embedded tracker at ${where}.` : `${where}, a key is set.`,
  });
  const url = new URL(tracker.url);
  if (isProxied(url)) {
    report('host', { unneeded: 'Reached through the proxy that the environment names.' });
    report('tls', { unneeded: 'Checked by each call, through the proxy.' });
  } else {
    const host = await reachHost(url);
    report('host', host.problem ? await offeringPlain(host, tracker.url, config) : host);
    if (host.problem) return;
    if (url.protocol === 'https:') {
      const certificate = await checkCertificate(url, new Date());
      report('tls', certificate.isPlain ? await offeringPlain(certificate, tracker.url, config) : certificate);
      if (certificate.problem) return;
    } else report('tls', { unneeded: 'Not encrypted: the URL begins with http://.' });
  }
  await checkApi(opened, tracker, report);
}

/** The finding about an https:// URL, with the http:// URL if that answers. No key is sent to it. */
async function offeringPlain(finding: Finding, url: string, { method, timeout }: Config) {
  const plain = url.replace(/^https:/, 'http:');
  const waitMs = Math.min(timeout, maxOfferMs);
  const response = plain === url ? undefined : await askOnce({ url: plain }, { method, format: 'json' }, waitMs);
  if (!response || response.location?.startsWith('https:')) return finding;
  return { ...finding, problem: `${plain} answers: set TRACKER_URL to it.`, rightUrl: plain };
}

async function checkApi(opened: OpenedTracker, tracker: Tracker, report: Report): Promise<void> {
  const { url, apiKey } = tracker;
  const { config, context } = opened;
  const { method, timeout } = config;
  const { client } = context;
  const start = performance.now();
  const first = await listCampaigns(client);
  const isLate = performance.now() - start >= timeout;
  if (first instanceof Failure) {
    const isRefusal = first instanceof TrackerFailure && first.outcome === 'refused';
    // If a call without a key gets the same answer, the key is not the problem.
    const response = isRefusal ? await askOnce({ url }, { method, format: 'json' }, timeout) : undefined;
    const isKey = isRefusal && !isNoApiStatus(response?.status ?? 0) && !withApi.test(url) && !challengeIn(response);
    if (!isKey) {
      const problem = explainFailure(first, url, response, isLate ? timeout : undefined);
      return report('api', { problem, rightUrl: rightUrlOf(url, response) });
    }
    report('api', { message: 'It answers.' });
    return report('key', { problem: first.message });
  }
  report('api', { message: `It answers with data, read as: ${first.shape}.` });
  const accepted = ['The key is accepted.', weaknessOf(apiKey)].filter(Boolean).join(' ');
  report('key', { message: apiKey === '' ? 'The tracker asks for none.' : accepted });
  const other = config.format === 'json' ? 'xml' : 'json';
  const otherClient = new TrackerClient({ tracker: opened.tracker, method, format: other, timeoutMs: timeout });
  const isOtherReadable = !((await listCampaigns(otherClient)) instanceof Failure);
  report('formats', {
    message: isOtherReadable
      ? await formatsSeen(config, tracker)
      : `${config.format} can be read, ${other} cannot; leave TRACKER_FORMAT as it is.`,
  });
  const times: number[] = [];
  for (let read = 0; read < timedReads; read++) {
    const timed = await listCampaigns(client);
    if (timed instanceof Failure) return report('speed', { message: 'It fails now and then.', problem: timed.message });
    times.push(timed.ms);
  }
  const median = times.sort((one, other) => one - other)[Math.floor(timedReads / 2)] ?? 0;
  const isSlow = median * 4 > timeout;
  report('speed', {
    message: `${Math.round(median)} ms for the campaign list (median of ${timedReads}).`,
    ...(isSlow && { problem: 'Reports take longer than that: raise TRACKER_TIMEOUT_MS to ten times this.' }),
  });
  report('campaigns', {
    message:
      first.count === 0
        ? 'None yet: create one in the tracker; the API cannot.'
        : `${first.count} found. Whether their figures can be trusted: tracker-mcp call check_tracking.`,
  });
}

/** A URL with the path of the API, which every call adds by itself, and perhaps more behind it. The host may be called api. */
const withApi = /^(https?:\/\/[^/]+(?:\/.*?)?)\/api(?:\/.*)?$/i;

/** The URL to set instead of one that leads to no API, if its answer shows it. */
function rightUrlOf(url: string, response: HttpResponse | undefined): string | undefined {
  const [, base] = withApi.exec(url) ?? [];
  if (base !== undefined) return base;
  const encrypted = url.replace(/^http:/, 'https:');
  return encrypted !== url && response?.location?.startsWith(`${encrypted}/`) ? encrypted : undefined;
}

/** Basic or Digest, if the web server in front of the tracker asks for a password. */
function challengeIn(response: HttpResponse | undefined): string | undefined {
  const [, scheme] = /^\s*(basic|digest)\b/i.exec(response?.challenge ?? '') ?? [];
  return scheme && scheme.slice(0, 1).toUpperCase() + scheme.slice(1).toLowerCase();
}

/**
 * Explains why there is no API at the address, with one thing to change.
 *
 * @param response to a call without a key; undefined if there was none
 * @param timeoutMs if the call took that long
 */
function explainFailure(failure: Failure, url: string, response: HttpResponse | undefined, timeoutMs?: number): string {
  const rightUrl = rightUrlOf(url, response);
  if (rightUrl !== undefined && withApi.test(url)) {
    return `There is no API below ${url}: each call adds /api by itself. Set TRACKER_URL to ${rightUrl}.`;
  }
  const scheme = challengeIn(response);
  if (scheme !== undefined) {
    return `The web server in front of the tracker asks for its own user name and password (HTTP ${scheme}), so the API key was not checked. Let it pass calls below ${url}/api without them; TRACKER_URL cannot contain them.`;
  }
  if (timeoutMs !== undefined) {
    return `The connection works, but no answer came within ${timeoutMs / 1000} s. Check that TRACKER_URL leads to the tracker’s web server, and that it is not stuck; if it is slow, raise TRACKER_TIMEOUT_MS.`;
  }
  if (rightUrl !== undefined) {
    return `It redirects every call from http:// to https://. Set TRACKER_URL to ${rightUrl}.`;
  }
  if (response?.status === 404) {
    return `There is no API below ${url} (HTTP 404). Check TRACKER_URL: it is the tracker’s base URL, with its subfolder if it has one.`;
  }
  return failure.message;
}

/** Reads the campaign list: number of campaigns, shape of the answer, and duration. */
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

/** The formats that the tracker sends for either request. */
async function formatsSeen({ method, timeout }: Config, tracker: Tracker): Promise<string> {
  const json = await sentFormat(tracker, { method, format: 'json' }, timeout);
  const xml = await sentFormat(tracker, { method, format: 'xml' }, timeout);
  if (json === 'json' && xml === 'xml') return 'json and xml can be read.';
  if (json === xml) return `The tracker sends ${json} for either format, which can be read.`;
  return `Asked for json the tracker sends ${json}, asked for xml ${xml}; both can be read.`;
}
