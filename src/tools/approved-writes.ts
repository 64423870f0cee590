import { showArgument } from '../answer/changes.ts';
import { sayNotice } from '../answer/notes.ts';
import { type Endpoint, endpoints } from '../api/endpoints.ts';
import { Failure } from '../api/failure.ts';
import { joinWords } from '../api/rules.ts';
import { isSameData } from '../api/text/json.ts';
import { show } from '../api/text/tracker-text.ts';
import type { TrackerRequest } from '../client/request.ts';
import type { Approval, Proposal } from '../guard/approval.ts';
import type { Holder, Holders } from '../guard/holder.ts';
import type { ProposalEnding, Proposals } from '../guard/proposals.ts';
import { optional } from './asking.ts';
import { type CallContext, type Given, identityIn, type ToolContext, timed } from './define-tool.ts';
import { checkWrite } from './from-endpoint.ts';
import { nameKey, openSnapshot, readSurroundings } from './rotation/current-values.ts';
import { readerInOrder } from './rotation/read-in-order.ts';
import { execute, reasonOf, undoLimits, type WriteStep } from './rotation/writing-tool.ts';

const intervalMs = 1000;

export type ApprovedListener = (approval: Approval, ending: ProposalEnding) => void;

export type ApprovedWrites = ReturnType<typeof openApprovedWrites>;

/**
 * Sends what people approve while a server runs, as far as it was proposed for its tracker and under its settings.
 *
 * @param holders absent if this server takes no tokens: then proposals made with a token are left to other servers
 */
export function openApprovedWrites(
  proposals: Proposals,
  context: ToolContext,
  onFailure: (error: unknown) => void,
  holders?: Holders,
  onEnded?: ApprovedListener,
) {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  // One after the other, so that no proposal is taken twice here.
  let looks: Promise<void> = Promise.resolve();
  /** Sends what is approved now; resolves when that is done. */
  const look = () => {
    looks = looks.then(sendAll).catch(onFailure);
    return looks;
  };
  return {
    look,
    /** Looks every second. It does not keep the process alive. */
    start: () => {
      timer ??= setInterval(() => void look(), intervalMs).unref();
    },
    /** Takes no more proposals; resolves when nothing is being sent. */
    stop: async () => {
      isStopped = true;
      clearInterval(timer);
      await looks;
    },
  };

  async function sendAll(): Promise<void> {
    for (const approval of await proposals.approved()) {
      if (isStopped) return;
      if (!(await isForThisServer(approval)) || !canAnnounce()) continue;
      const ending = await proposals.sendOnce(approval, () => send(approval));
      if (ending) onEnded?.(approval, ending);
    }
  }

  async function isForThisServer({ proposal: { policy, tracker, account, holder } }: Approval): Promise<boolean> {
    if (holder && !holders) return false;
    if (!isSameData(policy, context.guard.policy) || tracker !== (await identityIn(context))) return false;
    return account === (await context.client.account());
  }

  /** Whether the other servers could be told of a write now. If not, it stays approved: it is taken only once. */
  function canAnnounce(): boolean {
    try {
      context.guard.changes.requireJournal();
      return true;
    } catch (error) {
      if (error instanceof Failure) return false;
      throw error;
    }
  }

  /** Sends an approved write, once and if its token still allows it. Throws only defects. */
  async function send(approval: Approval): Promise<ProposalEnding> {
    const { client, holder } = approval.proposal;
    const { guard } = context;
    try {
      const allowed = holder ? guard.heldBy(await holderNow(holder)) : guard;
      const ask = async () => 'unavailable' as const;
      const call = timed({ ...context, guard: allowed, caller: client, ask, reads: new Map() });
      return await sendApproved(approval, call);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return { state: 'stopped', message: `Nothing was sent: ${error.message}` };
    }
  }

  /** What the token of a proposal allows now. Throws a Failure if it allows nothing on this tracker. */
  async function holderNow(holder: Holder): Promise<Holder> {
    const now = holders?.holderNamed ? await holders.holderNamed(holder.name) : holder;
    if (!now) throw new Failure(`the token of ${holder.name} was removed or has expired.`);
    const trackerName = context.trackerName?.toLowerCase() ?? '';
    if (!now.trackers || now.trackers.some((name) => name.toLowerCase() === trackerName)) return now;
    throw new Failure(`the token of ${holder.name} is not for this tracker any more.`);
  }
}

/** Sends what a person approved through the guard. Throws a Failure if nothing was sent. */
async function sendApproved(approval: Approval, context: CallContext): Promise<ProposalEnding> {
  const { proposal, approver } = approval;
  const { tool, undoes, parts } = proposal;
  // The audit trail knows what was sent, even if the files of the proposal were put back.
  const earlier = await context.guard.changes.changeOfProposal(proposal.id);
  if (earlier !== undefined) throw new Failure(`it was sent before, as change ${earlier}.`);
  context.guard.checkOffered({ name: tool, access: 'update' });
  const { differences, ...planned } = await planAgain(proposal, context);
  if (differences.length > 0) {
    const message = `Nothing was sent: ${joinWords(differences, 'and')}. Look at it, and propose it again.`;
    return { state: 'stale', message };
  }
  const sent = await execute({ tool, undoes, parts, effect: [], ...planned, consent: approval }, context);
  if ('waiting' in sent) throw new TypeError('an approved write waits again');
  const { change, replies, failure } = sent;
  if (failure === undefined) {
    const limits = undoLimits(planned.steps, replies);
    const undo = limits.length === 0 ? 'undo_change takes it back.' : limits.map(sayNotice).join(' ');
    return { state: 'done', change, message: `${approver} approved it, and it was sent. ${undo}` };
  }
  const message = `After ${replies.length} of ${proposal.steps.length} writes: ${reasonOf(failure)}`;
  return { state: 'stopped', change, message };
}

/** Makes the request of a step again. Throws a Failure if it could not have been proposed. */
function requestOf({ tool, arguments: given }: Proposal['steps'][number], { client }: CallContext): TrackerRequest {
  const endpoint: Endpoint | undefined = endpoints.find(({ name, access }) => name === tool && access !== 'read');
  if (!endpoint) throw new Failure(`${show(tool)} is not a tool that writes.`);
  checkWrite(endpoint, given);
  if (client.holdsKey(given)) throw new Failure('it contains the API key of the tracker.');
  return client.request(endpoint, given);
}

/** Returns the steps with the values that are there now, and what is different from what the person was shown. */
async function planAgain({ steps: proposed, surroundings }: Proposal, context: CallContext) {
  const requests = proposed.map((step) => requestOf(step, context));
  const { client, currency } = context;
  const snapshot = openSnapshot(context);
  // Without surroundings the tracker could not be read at the proposal either.
  const isWatched = Object.keys(surroundings).length > 0;
  const around = client.withoutKey(isWatched ? { ...(await readSurroundings(requests, snapshot)) } : {});
  const readNext = readerInOrder(snapshot);
  const steps: WriteStep[] = [];
  for (const request of requests) {
    const read = () => readNext(request);
    // An addition replaces no values, so it need not be read to be sent.
    const before = request.endpoint.access === 'create' ? await optional(read, context) : await read();
    steps.push({ request, before: before?.values, pages: before?.pages });
  }
  const moved = steps.flatMap(({ before }, index) => {
    const now: Given = client.withoutKey({ ...before });
    const showValue = (name: string, value: unknown) => showArgument(name, value, currency);
    return Object.entries(proposed[index]?.before ?? {})
      .filter(([name, old]) => !isSameData(now[name], old))
      .map(([name, old]) => `${name} was ${showValue(name, old)} and is ${showValue(name, now[name] ?? null)}`);
  });
  // Who was shown no name approved the ID.
  const unnamed = requests
    .map(({ arguments: given }) => nameKey(given['campaign_id']))
    .filter((key) => !(key in surroundings));
  const others = Object.keys({ ...surroundings, ...around }).filter(
    (name) => surroundings[name] !== around[name] && !unnamed.includes(name),
  );
  // A value that moved explains why its page is different.
  const differences =
    moved.length > 0
      ? moved
      : others.map((name) => (name in around ? `${name} is not what it was` : `${name} is not shown any more`));
  return { steps, snapshot, differences };
}
