import { createHash, randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { reviewedDays } from '../../analysis/account-review.ts';
import { Failure } from '../../api/failure.ts';
import { ConfigurationFailure } from '../../config.ts';
import { type Review, readReviewedAccount, reviewAt, Turns } from '../../tools/account-review.ts';
import type { CallContext } from '../../tools/define-tool.ts';
import {
  addSettings,
  asMisuse,
  configure,
  guarded,
  misuse,
  newCommand,
  settingsOf,
  wholeNumber,
} from '../command-line.ts';
import { type OpenedTracker, type OpenTrackers, openTrackers } from '../open-trackers.ts';
import { onEndSignal, say, tell } from '../process.ts';
import { isNews, lineOf, messageOf, render, type Seen } from './digest.ts';
import {
  compareWith,
  emptyState,
  type Message,
  readState,
  type State,
  type TrackerState,
  writeState,
} from './state.ts';
import { postAll, type Webhook, webhookOf } from './webhook.ts';

interface Options {
  readonly json?: true;
  readonly markdown?: true;
  readonly state?: string;
  readonly webhook?: string;
  readonly webhookSecretFile?: string;
  readonly heartbeat?: true;
  readonly replay?: number;
}

const notes = `
Exit codes: 0 nothing new, 1 something new, 2 it could not look, or not say what it found.

Each morning at eight, by cron:
  0 8 * * *  tracker-mcp review --config trackers.json --state review.json --webhook https://hooks.example.com/x

With --state only what is new is said, and what is well again; without it each round says all. Of what could not be read nothing
is declared well. --replay says how often it would have spoken on past days.`;

/** `tracker-mcp review`: what needs a person, for cron and workflows. */
export function makeCommand(): Command {
  const command = newCommand('tracker-mcp review')
    .usage('[settings] [--json | --markdown] [--state FILE] [--webhook URL]')
    .description('Looks over all campaigns for what needs a person, as review_account does.')
    .optionsGroup('Output:')
    .option('--json', 'print one JSON document')
    .option('--markdown', 'print Markdown')
    .option('--state <file>', 'remembers what was said, so that only changes are')
    .option('--webhook <url>', 'posts JSON with a text, if there is something new; tried three times')
    .option('--webhook-secret-file <file>', 'signs what is posted (HMAC-SHA256, Standard Webhooks)')
    .option('--heartbeat', 'posts if there is nothing new, too')
    .option('--replay <days>', 'says how often it would have spoken on so many past days', wholeNumber(1, 180))
    .action((options: Options) =>
      guarded(async () => {
        // What fails is 2, and not the 1 of something new.
        process.exitCode = await asMisuse(() => run(options, command));
      }),
    );
  return addSettings(command).addHelpText('after', notes);
}

async function run(options: Options, command: Command): Promise<number> {
  const webhook =
    options.webhook === undefined ? undefined : await webhookOf(options.webhook, options.webhookSecretFile);
  if (options.webhookSecretFile !== undefined && !webhook)
    throw new ConfigurationFailure('--webhook-secret-file needs --webhook.');
  const trackers = await openTrackers(await configure(settingsOf(command)));
  const cancellation = new AbortController();
  onEndSignal(() => cancellation.abort());
  try {
    if (options.replay !== undefined) return await replay(options.replay, trackers, cancellation.signal);
    return await round(options, webhook, trackers, cancellation.signal);
  } finally {
    await trackers.close();
  }
}

function contextOf({ context }: OpenedTracker, signal: AbortSignal): CallContext {
  return { ...context, recentTables: undefined, caller: 'tracker-mcp review', ask: async () => 'unavailable', signal };
}

/** A hash of what the tracker is known by, which names no key. */
function accountOf({ context }: OpenedTracker): string {
  return createHash('sha256')
    .update(context.trackerIdentity ?? 'embedded')
    .digest('hex')
    .slice(0, 16);
}

async function round(
  { state: path, json, markdown, heartbeat }: Options,
  webhook: Webhook | undefined,
  { opened, approving }: OpenTrackers,
  signal: AbortSignal,
): Promise<number> {
  const read = async (): ReturnType<typeof readState> =>
    path === undefined ? { state: emptyState() } : readState(path);
  const save = async (next: State) => (path === undefined ? undefined : writeState(path, next));
  const { state: earlier, warning } = await read();
  if (warning !== undefined) tell(warning);
  for (const tracker of opened) {
    const before = earlier.trackers[tracker.name ?? ''];
    if (before && before.account !== accountOf(tracker))
      throw new ConfigurationFailure('The state file is of another account.', 'Name another with --state.');
  }
  // A state that cannot be written later would have all be said again.
  await save(earlier);
  const looks: Look[] = [];
  for (const tracker of opened) looks.push(await look(tracker, earlier.trackers[tracker.name ?? ''], signal));
  // Another round may have ended meanwhile.
  const { state } = await read();
  const trackers = { ...state.trackers };
  const seen = looks.map((one) => {
    const { name = '', account, turns } = one;
    const { findings, ...compared } = compare(one, trackers[name]);
    trackers[name] = { account, findings, isBlind: compared.isBlind, turns };
    return compared;
  });
  const waiting = (await approving?.proposals.all())?.filter(({ state }) => state === 'waiting').length ?? 0;
  const report = messageOf(seen, waiting);
  const message = { id: `msg_${randomUUID()}`, body: JSON.stringify(report) };
  const pending = [...state.pending, ...(webhook && seen.some(isNews) ? [message] : [])];
  // What is printed and not remembered is said again; the other way round it would be lost.
  await print(json ? `${JSON.stringify(report, null, 2)}\n` : render(seen, waiting, markdown ?? false));
  await save({ version: 1, trackers, pending });
  if (!webhook && pending.length > 0)
    tell(`${pending.length} message${pending.length === 1 ? ' waits' : 's wait'} for a round with --webhook.`);
  const forget = async ({ id }: Message) => {
    const { state: latest } = await read();
    await save({ ...latest, pending: latest.pending.filter((other) => other.id !== id) });
  };
  const posted = pending.length === 0 && heartbeat ? [message] : pending;
  const undelivered = webhook && (await postAll(webhook, posted, forget));
  if (undelivered !== undefined) {
    const which = path === undefined ? 'With --state the next round' : 'The next round with this state';
    throw new Failure(undelivered, `${which} posts it again.`);
  }
  if (seen.some(({ isBlind }) => isBlind)) return misuse;
  return seen.some(({ changes }) => changes.added.length > 0) ? 1 : 0;
}

/** What became of looking at a tracker. */
interface Look extends Pick<TrackerState, 'account' | 'turns'>, Pick<Seen, 'name' | 'currency'> {
  readonly found: Review | Failure;
}

async function look(tracker: OpenedTracker, before: TrackerState | undefined, signal: AbortSignal): Promise<Look> {
  const context = contextOf(tracker, signal);
  const turns = new Turns(before?.turns);
  const find = async () => {
    const read = await readReviewedAccount(reviewedDays, context, turns);
    return reviewAt(read, read.clock, context);
  };
  const found = await find().catch((failure) => {
    if (!(failure instanceof Failure) || signal.aborted) throw failure;
    return failure;
  });
  const { name, config } = tracker;
  return { name, currency: config.currency, account: accountOf(tracker), turns: turns.toJSON(), found };
}

/** What is to be said of a tracker, and known of it from now on; one that could not be looked at keeps what was known. */
function compare(
  { name, currency, found }: Look,
  before: TrackerState | undefined,
): Seen & Pick<TrackerState, 'findings'> {
  const own = { name, currency, wasBlind: before?.isBlind ?? false };
  if (found instanceof Failure) {
    const changes = { added: [], still: [], wellAgain: [] };
    return { ...own, asOf: '', changes, unseen: [found.message], isBlind: true, findings: before?.findings ?? {} };
  }
  const { changes, after } = compareWith(before, found);
  return { ...own, asOf: found.asOf, changes, unseen: found.unseen, isBlind: false, findings: after.findings };
}

/** Prints all of it, or throws why that failed. */
async function print(text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

/** How often it would have spoken at the end of each past day, by what is known of these days now. */
async function replay(days: number, { opened }: OpenTrackers, signal: AbortSignal): Promise<number> {
  for (const tracker of opened) {
    const context = contextOf(tracker, signal);
    const read = await readReviewedAccount(days + reviewedDays, context);
    let known: Pick<TrackerState, 'findings'> | undefined;
    let spoken = 0;
    const lines: string[] = [];
    for (let day = days; day >= 0; day -= 1) {
      const review = await reviewAt(read, read.clock - day * 86_400_000, context);
      const { changes, after } = compareWith(known, review);
      known = after;
      if (changes.added.length === 0) continue;
      spoken += 1;
      lines.push(review.asOf.slice(0, 10), ...changes.added.map((finding) => `  ${lineOf(finding, review.asOf)}`));
    }
    const name = tracker.name === undefined ? '' : `${tracker.name}: `;
    const summary = `${name}It would have spoken on ${spoken} of ${days + 1} days, by what is known of them now.`;
    say(...lines, summary, ...read.unseen);
  }
  return 0;
}
