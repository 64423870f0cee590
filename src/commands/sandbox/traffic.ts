import type { Command } from 'commander';
import { isoDay } from '../../analysis/columns/times.ts';
import { Failure } from '../../api/failure.ts';
import { countInWords } from '../../api/rules.ts';
import { TrackerClient } from '../../client/tracker-client.ts';
import { ConfigurationFailure, type Flags, isLoopbackHost } from '../../config.ts';
import { whyNot } from '../../files/at-path.ts';
import { readText } from '../../files/read-file.ts';
import { type Profile, readProfile, type VisitedCampaign } from '../../sandbox/play-visitor.ts';
import { type PageTally, sendVisitors, type VisitorsSent } from '../../sandbox/send-visitors.ts';
import { shiftDays } from '../../tools/period.ts';
import { addSetting, configure, newCommand, reportFailures, settingsOf, wholeNumber } from '../command-line.ts';
import { onEndSignal, print } from '../process.ts';
import { lookOfOutput, progressBar } from '../terminal/look.ts';
import { renderTable } from '../terminal/render-table.ts';
import { readTallies, readVisitedCampaign } from './reports.ts';

interface TrafficFlags {
  readonly campaign: number;
  readonly visitors: number;
  readonly profile?: string;
  readonly rate: number;
  readonly seed: number;
}

const maxVisitors = 1_000_000;

const example = `
A profile says what visitors do on each page, by page ID:
  {"pages": {"4": {"convert": 0.1, "payout": [20, 30]}}, "default": {"click": 0.4, "convert": 0.05}}

Example, with a sandbox running in another terminal:
  tracker-mcp sandbox --port 8080 --api-key rehearsal
  TRACKER_URL=http://127.0.0.1:8080 TRACKER_API_KEY=rehearsal tracker-mcp sandbox traffic --campaign 1 --visitors 5000`;

export function trafficCommand(): Command {
  const command = newCommand('traffic')
    .showHelpAfterError('(tracker-mcp sandbox traffic --help shows the options)')
    .description(
      'Sends visitors to a campaign of a running sandbox over HTTP, and compares its reports with what was sent.',
    )
    .requiredOption('--campaign <id>', 'the campaign that they visit', wholeNumber(1, 999_999_999))
    .requiredOption('--visitors <number>', `number of visitors, at most ${maxVisitors}`, wholeNumber(1, maxVisitors))
    .option('--profile <file>', 'JSON with the click and conversion rates of each page')
    .option('--rate <number/s>', 'max visitors per second', readRate, 500)
    .option('--seed <number>', 'the same seed gives the same visitors', wholeNumber(0, 2 ** 31 - 1), 1)
    .addHelpText('after', example)
    .action((flags: TrafficFlags) =>
      reportFailures(() => run(flags, { ...(command.parent && settingsOf(command.parent)), ...settingsOf(command) })),
    );
  addSetting(command, 'url', 'the running sandbox, on this machine [TRACKER_URL]');
  return addSetting(command, 'apiKey', 'its API key, to read the reports [TRACKER_API_KEY]');
}

async function run(flags: TrafficFlags, settings: Flags): Promise<void> {
  const tracker = await requireLocal(settings);
  const profile = readProfile(flags.profile === undefined ? '{}' : await readProfileFile(flags.profile));
  const client = new TrackerClient({ tracker: async () => tracker, method: 'post', format: 'json', timeoutMs: 60_000 });
  const today = isoDay(Date.now());
  // A run may go past midnight.
  const days = { start: today, end: shiftDays(today, 1) };
  const campaign = await readVisitedCampaign(client, flags.campaign, days);
  requireLinkOf(campaign, tracker.url);
  requireKnownPages(campaign, profile);
  const before = await readTallies(client, flags.campaign, days);
  const stopped = new AbortController();
  onEndSignal(() => stopped.abort());
  const onProgress = progressBar('Visitors');
  const sent = await sendVisitors({
    campaign,
    profile,
    signal: stopped.signal,
    visitors: flags.visitors,
    rate: flags.rate,
    seed: flags.seed,
    ...(onProgress ? { onProgress } : {}),
  });
  const after = await readTallies(client, flags.campaign, days);
  const isEqual = report(campaign, sent, before, after);
  if (stopped.signal.aborted) print(`Stopped before all ${flags.visitors} had come.`);
  if (isEqual) return;
  throw new Failure(
    'The reports differ from what was sent.',
    'Did other visitors come at the same time, or was the campaign changed? Otherwise this is a bug of the tracker.',
  );
}

/** Load is sent only to this machine, because a tracker elsewhere may belong to someone else. */
async function requireLocal(settings: Flags): Promise<{ readonly url: string; readonly apiKey: string }> {
  const isNamed = Boolean(settings.url ?? process.env['TRACKER_URL']?.trim());
  // Trackers of a configuration file are ignored.
  const environment = { ...process.env, TRACKER_CONFIG: '' };
  const tracker = isNamed ? (await configure(settings, environment)).trackers[0].config.tracker : 'sandbox';
  if (typeof tracker !== 'object') {
    throw new ConfigurationFailure(
      'Visitors need a running sandbox.',
      'Start one with tracker-mcp sandbox, and give its URL as --url or TRACKER_URL, and its key.',
    );
  }
  if (!isLocal(tracker.url)) {
    throw new ConfigurationFailure(
      `${tracker.url} is not on this machine, and visitors are sent nowhere else: the tracker may belong to someone else.`,
      'Set TRACKER_URL to a sandbox on 127.0.0.1.',
    );
  }
  return tracker;
}

function isLocal(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && isLoopbackHost(hostname);
}

function requireLinkOf({ link }: VisitedCampaign, url: string): void {
  if (URL.canParse(link) && isLocal(link) && new URL(link).port === new URL(url).port) return;
  throw new Failure(
    "The campaign's link does not lead to the given tracker, so no visitor is sent.",
    'Visitors are sent only to an embedded tracker.',
  );
}

function requireKnownPages({ pages }: VisitedCampaign, profile: Profile): void {
  const unknown = profile.pages.filter((id) => !pages.has(id));
  if (unknown.length === 0) return;
  const list = [...pages.values()].map(({ id, kind, name }) => `${id} (${kind}, ${name})`).join(', ');
  throw new Failure(
    `The profile names pages that the campaign does not have: ${unknown.join(', ')}.`,
    `The campaign's pages are: ${list}.`,
  );
}

async function readProfileFile(file: string): Promise<string> {
  try {
    return await readText(file);
  } catch (error) {
    throw new Failure(`The profile ${file} cannot be read (${whyNot(error)}).`);
  }
}

/** Prints what was sent and what the reports count, page by page. Returns whether they are equal. */
function report(
  { pages }: VisitedCampaign,
  sent: VisitorsSent,
  before: ReadonlyMap<number, PageTally>,
  after: ReadonlyMap<number, PageTally>,
): boolean {
  const figures = ['visitors', 'clicks', 'conversions', 'cents'] as const;
  let isEqual = true;
  const rows = [...pages.values()].map(({ id, kind, name }) => {
    const pairs = figures.flatMap((figure) => {
      const counted = sent.pages.get(id)?.[figure] ?? 0;
      const reported = (after.get(id)?.[figure] ?? 0) - (before.get(id)?.[figure] ?? 0);
      isEqual &&= counted === reported;
      return figure === 'cents' ? [counted / 100, reported / 100] : [counted, reported];
    });
    return [id, kind, name, ...pairs];
  });
  const headings = ['Visitors', 'Clicks', 'Conversions', 'Revenue'].flatMap((name) => [`${name} sent`, 'reported']);
  const speed = (sent.visitors / Math.max(sent.seconds, 0.001)).toFixed(0);
  process.stdout.write(
    `${countInWords(sent.visitors, 'visitor')} in ${sent.seconds.toFixed(1)} s, ${speed} a second.\n\n` +
      `${renderTable(['Page', 'Kind', 'Name', ...headings], rows, lookOfOutput())}\n\n`,
  );
  if (isEqual) print('The reports match what was sent.');
  return isEqual;
}

function readRate(text: string): number {
  return wholeNumber(1, 20_000)(text.replace(/\/s$/, ''));
}
