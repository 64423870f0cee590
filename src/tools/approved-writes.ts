import { type Endpoint, endpoints } from '../api/endpoints.ts';
import { Failure } from '../api/failure.ts';
import { findBrokenRule, joinWords } from '../api/rules.ts';
import { isSameData } from '../api/text/json.ts';
import type { TrackerRequest } from '../client/request.ts';
import type { Approval, Proposal } from '../guard/approval.ts';
import type { Guard } from '../guard/guard.ts';
import type { Holder, Holders } from '../guard/holder.ts';
import type { ProposalEnding, Proposals } from '../guard/proposals.ts';
import { show } from './check-arguments.ts';
import { type CallContext, type Given, identityIn, type ToolContext } from './define-tool.ts';
import { showArgument } from './present/change-steps.ts';
import {
  openSnapshot,
  readCurrentValues,
  readSurroundings,
  tryToReadCurrentValues,
} from './rotation/current-values.ts';
import { execute, type WriteStep } from './rotation/writing-tool.ts';

const intervalMs = 1000;

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
    for (const approval of isStopped ? [] : await proposals.approved()) {
      if (isStopped) return;
      if (!(await isForThisServer(approval)) || !(await proposals.take(approval))) continue;
      await proposals.finish(approval, await send(approval));
    }
  }

  async function isForThisServer({ proposal: { policy, tracker, holder } }: Approval): Promise<boolean> {
    if (holder && !holders) return false;
    return isSameData(policy, context.guard.policy) && tracker === (await identityIn(context));
  }

  /** Sends an approved write if its token still allows it. Throws only defects. */
  async function send(approval: Approval): Promise<ProposalEnding> {
    const { client, holder } = approval.proposal;
    const { guard, trackerName = '' } = context;
    const call = { ...context, caller: client, ask: async () => 'unavailable' as const };
    try {
      if (!holder) return await sendApproved(approval, call, guard);
      const now: Holder | undefined = holders?.holderNamed ? await holders.holderNamed(holder.name) : holder;
      if (!now) throw new Failure(`the token of ${holder.name} was removed or has expired.`);
      if (now.trackers?.every((allowed) => allowed.toLowerCase() !== trackerName.toLowerCase())) {
        throw new Failure(`the token of ${holder.name} is not for this tracker any more.`);
      }
      return await sendApproved(approval, { ...call, guard: guard.heldBy(holder) }, guard.heldBy(now));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return { state: 'stopped', message: `Nothing was sent: ${error.message}` };
    }
  }
}

/**
 * Sends what a person approved, once, through the guard. Throws a Failure if nothing was sent.
 *
 * @param allowed the guard with what the settings and the token allow now, in addition to what they allowed at the proposal
 */
async function sendApproved(approval: Approval, context: CallContext, allowed: Guard): Promise<ProposalEnding> {
  const { proposal, approver } = approval;
  const { tool, undoes, effect } = proposal;
  // The audit trail knows what was sent, even if the files of the proposal were put back.
  const earlier = (await allowed.changes.all()).find(({ approved }) => approved?.proposal === proposal.id);
  if (earlier) throw new Failure(`it was sent before, as change ${earlier.id}.`);
  allowed.checkOffered({ name: tool, access: 'update' });
  const requests = proposal.steps.map((step) => requestOf(step, context));
  await allowed.check({ tool, steps: requests.map((request) => ({ request })), undoes });
  const { steps, moved } = await readAgain(proposal, requests, context);
  if (moved.length > 0) {
    return {
      state: 'stale',
      message: `Nothing was sent: ${joinWords(moved, 'and')}. Look again, and propose it anew.`,
    };
  }
  const { change, replies, failure } = await execute({ tool, steps, undoes, effect, consent: approval }, context);
  if (failure === undefined) return { state: 'done', change, message: `${approver} approved it, and it was sent.` };
  const reason = failure instanceof Failure ? failure.message : 'the server failed with a defect of its own.';
  return { state: 'stopped', change, message: `After ${replies.length} of ${steps.length} writes: ${reason}` };
}

/** Makes the request of a step again. Throws a Failure if it could not have been proposed. */
function requestOf(
  { tool, arguments: given, sent }: Proposal['steps'][number],
  { client }: CallContext,
): TrackerRequest {
  const endpoint: Endpoint | undefined = endpoints.find(({ name, access }) => name === tool && access !== 'read');
  if (!endpoint) throw new Failure(`${show(tool)} is no tool that writes.`);
  for (const [name, { schema, required }] of Object.entries(endpoint.parameters)) {
    const isValid = given[name] === undefined ? !required : schema.safeParse(given[name]).success;
    if (!isValid) throw new Failure(`${name} of ${tool} cannot be ${show(given[name])}.`);
  }
  const broken = findBrokenRule(endpoint.rules, given, (argument) => argument);
  if (broken) throw new Failure(broken);
  if (client.holdsKey(given)) throw new Failure('it holds the API key of the tracker.');
  const request = client.request(endpoint, given);
  if (isSameData(request.shown, sent)) return request;
  throw new Failure(`this server would not send ${tool} as it was proposed; its settings or version changed.`);
}

/** Returns the steps with the values that are there now, and what is different from what the person was shown. */
async function readAgain(
  { steps: proposed, surroundings }: Proposal,
  requests: readonly TrackerRequest[],
  context: CallContext,
): Promise<{ readonly steps: readonly WriteStep[]; readonly moved: readonly string[] }> {
  const { client, currency } = context;
  const snapshot = openSnapshot(context);
  // Without surroundings the tracker could not be read at the proposal either.
  const isWatched = Object.keys(surroundings).length > 0;
  const around = client.withoutKey(isWatched ? { ...(await readSurroundings(requests, snapshot)) } : {});
  const steps = await Promise.all(
    requests.map(async (request) => {
      // An addition replaces no values, so it need not be read to be sent.
      const isAddition = request.endpoint.access === 'create';
      const reading = isAddition ? tryToReadCurrentValues(request, context) : readCurrentValues(request, snapshot);
      const { values, pages } = await reading;
      return { request, before: values, pages };
    }),
  );
  const moved = steps.flatMap(({ before }, index) => {
    const now: Given = client.withoutKey({ ...before });
    const showValue = (name: string, value: unknown) => showArgument(name, value, currency);
    return Object.entries(proposed[index]?.before ?? {})
      .filter(([name, value]) => !isSameData(now[name], value))
      .map(([name, old]) => `${name} was ${showValue(name, old)} and is ${showValue(name, now[name] ?? null)}`);
  });
  const others = Object.keys({ ...surroundings, ...around }).filter((name) => surroundings[name] !== around[name]);
  // A value that moved explains why its page is different.
  return { steps, moved: moved.length > 0 ? moved : others.map((name) => `${name} is not what it was`) };
}
