import { createHash } from 'node:crypto';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { idOfFinding, reviewedDays } from '../../analysis/account-review.ts';
import { sayNotice } from '../../answer/notes.ts';
import { dayMs } from '../../api/durations.ts';
import { Failure } from '../../api/failure.ts';
import * as is from '../../api/parameters.ts';
import { joinSome } from '../../api/rules.ts';
import { type Configuration, ConfigurationFailure, type ConfiguredTracker, type Flags } from '../../config.ts';
import { type Review, readReviewedAccount, reviewAt, Turns } from '../../tools/account-review.ts';
import { attempt, optional } from '../../tools/asking.ts';
import { type CallContext, timed } from '../../tools/define-tool.ts';
import { newOutcomes } from '../../tools/list-changes.ts';
import { today } from '../../tools/period.ts';
import {
  addSettings,
  asUsageError,
  misuse,
  newCommand,
  reportFailures,
  settingsOf,
  wholeNumber,
} from '../command-line.ts';
import { type OpenedTracker, type OpenTrackers, openTrackers } from '../open-trackers.ts';
import { onEndSignal, print, printAll, printToStderr, wrapped } from '../process.ts';
import { configureAtTerminal } from '../stored-trackers.ts';
import { hasNews, lineOf, render, reportOf, type TrackerReport } from './digest.ts';
import {
  boundPending,
  compareWith,
  emptyState,
  type Message,
  maxOfAccepted,
  newMessage,
  readState,
  readStateText,
  type State,
  type TrackerState,
  whileLocked,
  writeState,
} from './state.ts';
import { hashOf, maxDeliveryMs, postAll, type Webhook, webhookOf } from './webhook.ts';
import { type WebhookFormatName, webhookFormats } from './webhook-formats.ts';

/** For one tracker. A chat would have given up, and a large account needs longer. */
const maxReadMs = 600_000;

interface Options {
  readonly json?: true;
  readonly markdown?: true;
  readonly state?: string;
  readonly webhook?: string;
  readonly webhookFormat?: WebhookFormatName;
  readonly webhookSecretFile?: string;
  readonly heartbeat?: true;
  readonly replay?: number;
  readonly accept?: string;
  readonly until?: string;
}

const notes = `
Exit codes: 0 nothing new, 1 something new, 2 the review or its delivery failed.

Each morning at eight, by cron:
  0 8 * * *  tracker-mcp review --config trackers.json --state review.json --webhook https://hooks.example.com/x

With --state, a run reports only what is new and what has recovered; without it, each run reports everything. Nothing is reported as
recovered if it could not be read. --accept takes the number at the end of a finding's line: from then on it is one line in each run, until it
costs twice as much a day, or its day has come. --replay shows on how many past days it would have reported something.

Each tracker is read within ${maxReadMs / 60_000} minutes, or within --timeout if it is given here: no chat waits, so TRACKER_TIMEOUT_MS alone
does not shorten it. All messages are posted within ${maxDeliveryMs / 1000} s, answers included. Messages that the
webhook did not take are kept for the next rounds, at most 50 of the last 7 days; an answer of 410 ends the posts to it.`;

export function makeCommand(): Command {
  const command = newCommand('tracker-mcp review')
    .usage('[settings] [--json | --markdown] [--state FILE] [--webhook URL]')
    .description('Checks all campaigns for what needs attention, as review_account does.')
    .optionsGroup('Output:')
    .option('--json', 'print one JSON document')
    .option('--markdown', 'print Markdown')
    .option('--state <file>', 'remembers earlier findings, so that only changes are reported')
    .option('--accept <id>', 'accepts a finding of the state, instead of a review: it is known')
    .option('--until <date>', 'the day on which an accepted finding is reported again (YYYY-MM-DD)', dayOf)
    .option(
      '--webhook <url>',
      `posts a message if there is something new; up to three attempts in ${maxDeliveryMs / 1000} s`,
    )
    .addOption(
      new Option(
        '--webhook-format <format>',
        'what the webhook takes: JSON with a text and data, or a chat’s own',
      ).choices(webhookFormats),
    )
    .option('--webhook-secret-file <file>', 'signs the JSON (HMAC-SHA256, Standard Webhooks)')
    .option('--heartbeat', 'also posts if there is nothing new')
    .option(
      '--replay <days>',
      'shows on how many of the past days it would have reported something',
      wholeNumber(1, 180),
    )
    .action((options: Options) =>
      reportFailures(async () => {
        // A failure is 2, because 1 means something new.
        process.exitCode = await asUsageError(() => run(options, command));
      }),
    );
  return addSettings(command).addHelpText('after', notes);
}

async function run(options: Options, command: Command): Promise<number> {
  const { webhook: address, webhookFormat, webhookSecretFile } = options;
  const webhook =
    address === undefined ? undefined : await webhookOf(address, webhookFormat ?? 'json', webhookSecretFile);
  if (webhookSecretFile !== undefined && !webhook)
    throw new ConfigurationFailure('--webhook-secret-file needs --webhook.');
  if (webhookFormat !== undefined && !webhook) throw new ConfigurationFailure('--webhook-format needs --webhook.');
  const { accept: id, until, state } = options;
  if (id === undefined && until !== undefined) throw new ConfigurationFailure('--until needs --accept.');
  if (id !== undefined && state === undefined) throw new ConfigurationFailure('--accept needs --state.');
  if (id !== undefined && (webhook || options.replay !== undefined))
    throw new ConfigurationFailure('--accept makes no review: give it without --webhook and --replay.');
  const flags = settingsOf(command);
  const trackers = await openTrackers(withOwnDeadline(await configureAtTerminal(flags), flags));
  const cancellation = new AbortController();
  onEndSignal(() => cancellation.abort());
  try {
    if (id !== undefined && state !== undefined) return await accept(id, until, state, trackers.opened);
    if (options.replay !== undefined) return await replay(options.replay, trackers, cancellation.signal);
    return await runRound(options, webhook, trackers, cancellation.signal);
  } finally {
    await trackers.close();
  }
}

function withOwnDeadline(configuration: Configuration, flags: Flags): Configuration {
  if (flags.timeout !== undefined) return configuration;
  const patient = (one: ConfiguredTracker): ConfiguredTracker => ({
    ...one,
    config: { ...one.config, timeout: Math.max(one.config.timeout, maxReadMs) },
  });
  const [first, ...others] = configuration.trackers;
  return { ...configuration, trackers: [patient(first), ...others.map(patient)] };
}

function contextOf({ context }: OpenedTracker, signal: AbortSignal): CallContext {
  return timed({
    ...context,
    recentTables: undefined,
    caller: 'tracker-mcp review',
    ask: async () => 'unavailable',
    signal,
  });
}

function dayOf(text: string): string {
  if (is.date('').safeParse(text).success) return text;
  throw new InvalidArgumentError('It must be a day, as YYYY-MM-DD.');
}

/** A hash of the tracker's identity, which has no key in it. */
function accountOf({ context }: OpenedTracker): string {
  return createHash('sha256')
    .update(context.trackerIdentity ?? 'embedded')
    .digest('hex')
    .slice(0, 16);
}

/** @throws ConfigurationFailure if a state is of another account */
function refuseOthers({ trackers }: State, opened: readonly OpenedTracker[]): void {
  for (const tracker of opened) {
    const before = trackers[tracker.name ?? ''];
    if (before && before.account !== accountOf(tracker))
      throw new ConfigurationFailure(
        'The state file belongs to another account.',
        'Name a different file with --state.',
      );
  }
}

/** Marks a finding of the state as known to a person. */
async function accept(
  id: string,
  until: string | undefined,
  path: string,
  opened: readonly OpenedTracker[],
): Promise<number> {
  await readStateText(path);
  return whileLocked(path, async () => {
    const { state, warning } = await readState(path);
    if (warning !== undefined) printToStderr(warning);
    refuseOthers(state, opened);
    const known = opened.flatMap((tracker) => {
      const before = state.trackers[tracker.name ?? ''];
      return Object.entries(before?.findings ?? {}).flatMap(([key, finding]) =>
        before ? [{ tracker, before, key, finding, id: idOfFinding(key) }] : [],
      );
    });
    const chosen = known.filter((one) => one.id === id);
    const [first] = chosen;
    if (!first) {
      const listed = joinSome(
        known.map((one) => `${one.id} ${one.finding.what}`),
        maxListed,
      );
      throw new ConfigurationFailure(
        `The state file has no finding ${id}.`,
        known.length === 0 ? 'It has none: run a review with it first.' : `It has: ${listed}.`,
      );
    }
    if (chosen.length > 1)
      throw new ConfigurationFailure(`Several trackers have a finding ${id}.`, 'Configure one of them alone.');
    const { tracker, before, key, finding } = first;
    if (until !== undefined && until <= today(tracker.context.timeZone, tracker.context.now()))
      throw new ConfigurationFailure(`--until must be a day in the future; got ${until}.`);
    const { money_a_day } = finding;
    const accepted = { money_a_day, ...(until === undefined ? {} : { until }) };
    const findings = { ...before.findings, [key]: { ...finding, accepted } };
    await writeState(path, {
      ...state,
      trackers: { ...state.trackers, [tracker.name ?? '']: { ...before, findings } },
    });
    const limit = (Math.max(money_a_day, 1) * maxOfAccepted).toFixed(2);
    const when = until === undefined ? 'if' : `on ${until}, or if`;
    print(`Accepted: ${finding.what}. It is reported again ${when} it is more than ${limit} a day.`);
    return 0;
  });
}

const maxListed = 10;

/** One review: looks at each tracker, compares with the last round, prints, saves and posts. Returns the exit code. */
async function runRound(
  { state: path, json, markdown, heartbeat }: Options,
  webhook: Webhook | undefined,
  { opened, approving }: OpenTrackers,
  signal: AbortSignal,
): Promise<number> {
  const read = async (): ReturnType<typeof readState> =>
    path === undefined ? { state: emptyState() } : readState(path);
  const save = async (next: State) => (path === undefined ? undefined : writeState(path, next));
  const alone = <Result>(work: () => Promise<Result>) => (path === undefined ? work() : whileLocked(path, work));
  // A file that cannot be used is told before a lock is made beside it.
  if (path !== undefined) await readStateText(path);
  const earlier = await alone(async () => {
    const { state, warning } = await read();
    if (warning !== undefined) printToStderr(warning);
    refuseOthers(state, opened);
    // Fail now if the state cannot be written: the next round would report everything again.
    await save(state);
    return state;
  });
  const looks: Look[] = [];
  for (const tracker of opened) looks.push(await lookAt(tracker, earlier.trackers[tracker.name ?? ''], signal));
  return alone(async () => {
    // Another round may have ended in the meantime.
    const { state } = await read();
    const trackers = { ...state.trackers };
    const reports = looks.map((look) => {
      const { name = '', account, turns, told } = look;
      const { findings, ...report } = compare(look, trackers[name]);
      trackers[name] = { account, findings, isBlind: report.isBlind, turns, told };
      return report;
    });
    const waiting = (await approving?.proposals.all())?.filter(({ state }) => state === 'waiting').length ?? 0;
    const report = reportOf(reports, waiting);
    const message = newMessage(JSON.stringify(report));
    const isGone = webhook !== undefined && state.gone.includes(hashOf(webhook));
    const news = webhook && reports.some(hasNews) ? [message] : [];
    const { kept: pending, dropped } = boundPending([...state.pending, ...(isGone ? [] : news)]);
    // Print before saving: a finding that is saved but not printed would be lost.
    const printed = json
      ? JSON.stringify(report, null, 2)
      : markdown
        ? render(reports, waiting, 'markdown')
        : wrapped(render(reports, waiting, 'terminal'));
    await printAll(`${printed}\n`);
    await save({ ...state, trackers, pending });
    if (dropped > 0)
      printToStderr(`${messages(dropped, 'was', 'were')} dropped: too old, or more than can be kept for the webhook.`);
    if (!webhook && pending.length > 0)
      printToStderr(`${messages(pending.length, 'waits', 'wait')} for a round with --webhook.`);
    if (isGone) {
      const problem = `The webhook at ${webhook.url.host} said that it is gone (410), so nothing is posted to it.`;
      if (news.length > 0) throw new Failure(problem, goneAdvice);
      printToStderr(`${problem} ${goneAdvice}`);
    } else if (webhook) {
      const removeDelivered = async ({ id }: Message) => {
        const { state: latest } = await read();
        await save({ ...latest, pending: latest.pending.filter((other) => other.id !== id) });
      };
      const posted = pending.length === 0 && heartbeat ? [message] : pending;
      const delivery = await postAll(webhook, posted, removeDelivered);
      if (delivery.isGone) {
        const { state: latest } = await read();
        await save({ ...latest, pending: [], gone: [...latest.gone, hashOf(webhook)] });
        const count = messages(latest.pending.length, 'was', 'were');
        throw new Failure(`${delivery.problem} ${count} dropped.`, goneAdvice);
      }
      const which = path === undefined ? 'With --state the next round' : 'The next round with this state';
      if (delivery.problem !== undefined) throw new Failure(delivery.problem, `${which} posts it again.`);
    }
    if (reports.some(({ isBlind }) => isBlind)) return misuse;
    return reports.some(({ changes }) => changes.added.length > 0) ? 1 : 0;
  });
}

const goneAdvice = 'Give another --webhook, or none; to use this one again, remove “gone” from the state file.';

const messages = (count: number, one: string, many: string) =>
  count === 1 ? `1 message ${one}` : `${count} messages ${many}`;

interface Look
  extends Pick<TrackerState, 'account' | 'turns' | 'told'>,
    Pick<TrackerReport, 'name' | 'title' | 'currency' | 'timeZone' | 'outcomes'> {
  readonly result: Review | Failure;
  /** When it looked, in milliseconds since 1970. */
  readonly now: number;
}

async function lookAt(tracker: OpenedTracker, before: TrackerState | undefined, signal: AbortSignal): Promise<Look> {
  const context = contextOf(tracker, signal);
  const turns = new Turns(before?.turns);
  const review = async () => {
    const read = await readReviewedAccount(reviewedDays, context, turns);
    return reviewAt(read, read.clock, context);
  };
  const result = await review().catch((failure) => {
    if (!(failure instanceof Failure) || signal.aborted) throw failure;
    return failure;
  });
  // Without a state they would be told each time.
  const news = before && (await optional(() => newOutcomes(before.told, context), context));
  const { name, config } = tracker;
  const { currency } = config;
  const { timeZone } = context;
  const title = name ?? titleOf(config);
  const now = context.now().getTime();
  const { outcomes = [], told = before?.told ?? [] } = news ?? {};
  const kept = { account: accountOf(tracker), turns: turns.toJSON(), told };
  return { name, title, currency, timeZone, ...kept, outcomes, result, now };
}

/** What a person knows a tracker without a name by. */
function titleOf({ tracker }: OpenedTracker['config']): string {
  return typeof tracker === 'object' ? new URL(tracker.url).host : 'Sample data';
}

/** The report about a tracker and the findings to remember. If the look failed, earlier findings are kept. */
function compare(
  { name, title, currency, timeZone, result, now, ...look }: Look,
  before: TrackerState | undefined,
): TrackerReport & Pick<TrackerState, 'findings'> {
  const outcomes = look.outcomes.filter(({ change_id: id }) => !before?.told.includes(id));
  const tracker = { name, title, currency, timeZone, outcomes, wasBlind: before?.isBlind ?? false };
  const earlier = before?.findings ?? {};
  if (result instanceof Failure) {
    const changes = { added: [], still: [], accepted: [], wellAgain: [], isClockBehind: false };
    return { ...tracker, asOf: '', changes, unseen: [result.message], isBlind: true, findings: earlier };
  }
  const { asOf } = result;
  const compared = compareWith(earlier, result, now);
  const said = result.unseen.map(sayNotice);
  const unseen = compared.changes.isClockBehind ? [...said, clockBehind] : said;
  return { ...tracker, asOf, unseen, held: result.held, isBlind: false, ...compared };
}

const clockBehind = 'Whether earlier findings are over, because the clock is behind the last review: it was set back.';

/** Reports how often `review` would have found something new on past days, from the data that is available now. */
async function replay(days: number, { opened }: OpenTrackers, signal: AbortSignal): Promise<number> {
  let code = 0;
  for (const tracker of opened) {
    const context = contextOf(tracker, signal);
    const name = tracker.name === undefined ? '' : `${tracker.name}: `;
    const { answer: read, failure } = await attempt(() => readReviewedAccount(days + reviewedDays, context), context);
    if (failure) printToStderr(`${name}${failure.message}`);
    if (!read) {
      code = misuse;
      continue;
    }
    let earlier: TrackerState['findings'] = {};
    let newsDays = 0;
    const lines: string[] = [];
    for (let day = days - 1; day >= 0; day -= 1) {
      const clock = read.clock - day * dayMs;
      const review = await reviewAt(read, clock, context);
      const { changes, findings } = compareWith(earlier, review, clock);
      earlier = findings;
      if (changes.added.length === 0) continue;
      newsDays += 1;
      lines.push(review.asOf.slice(0, 10), ...changes.added.map((finding) => `  ${lineOf(finding, review.asOf)}`));
    }
    const summary = `${name}It would have reported something on ${newsDays} of ${days} days, by the data that is available now.`;
    print(...lines, summary, ...read.unseen.map(sayNotice));
  }
  return code;
}
