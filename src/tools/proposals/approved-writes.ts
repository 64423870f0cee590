import { type Endpoint, endpoints } from '../../api/endpoints.ts';
import { Failure } from '../../api/failure.ts';
import { findBrokenRule, joinWords } from '../../api/rules.ts';
import { isSameData } from '../../api/text/json.ts';
import type { TrackerRequest } from '../../client/request.ts';
import type { Guard } from '../../guard/guard.ts';
import type { Holder, Holders } from '../../guard/holder.ts';
import type { Approval } from '../../guard/proposals/approvers.ts';
import type { Proposal } from '../../guard/proposals/proposal.ts';
import type { ProposalEnding, Proposals } from '../../guard/proposals/proposals.ts';
import type { Step } from '../../guard/write.ts';
import { show } from '../check-arguments.ts';
import { type CallContext, type Given, identityIn, type ToolContext } from '../define-tool.ts';
import { showArgument } from '../present/change-steps.ts';
import { findAddedPage } from '../rotation/campaign-pages.ts';
import { presentOf, readBefore, readCurrentValues, surroundingsOf } from '../rotation/current-values.ts';
import { execute } from '../rotation/execute.ts';

const intervalMs = 1000;

export type ApprovedWrites = ReturnType<typeof openApprovedWrites>;

/**
 * Sends what people approve while a server runs: what was proposed for its tracker, under its settings.
 *
 * @param holders absent if this server takes no tokens: what was proposed with one is left to a server that does
 */
export function openApprovedWrites(
  proposals: Proposals,
  context: ToolContext,
  onFailure: (error: unknown) => void,
  holders?: Holders,
) {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  // One look after another, so that nothing is taken twice here.
  let looks: Promise<void> = Promise.resolve();
  /** Sends what is approved now; resolves when that is done. */
  const look = () => {
    looks = looks.then(sendAll).catch(onFailure);
    return looks;
  };
  return {
    look,
    /** Looks from now on; it does not keep the process from ending. */
    start: () => {
      timer ??= setInterval(() => void look(), intervalMs).unref();
    },
    /** Takes nothing more; resolves when nothing is being sent. */
    stop: async () => {
      isStopped = true;
      clearInterval(timer);
      await looks;
    },
  };

  async function sendAll(): Promise<void> {
    for (const approval of isStopped ? [] : await proposals.approved()) {
      if (isStopped) return;
      if (!(await isOurs(approval)) || !(await proposals.take(approval))) continue;
      await proposals.finish(approval, await send(approval));
    }
  }

  /** What was proposed elsewhere, or under other settings, is left to a server that has them. */
  async function isOurs({ proposal: { policy, tracker, holder } }: Approval): Promise<boolean> {
    if (holder && !holders) return false;
    return isSameData(policy, context.guard.policy) && tracker === (await identityIn(context));
  }

  /** Sends an approved write as its token allows now; nothing of what can go wrong is thrown but a defect. */
  async function send(approval: Approval): Promise<ProposalEnding> {
    const { client, holder } = approval.proposal;
    const { guard, trackerName = '' } = context;
    const calling = { ...context, caller: client, ask: async () => 'unavailable' as const };
    try {
      if (!holder) return await sendApproved(approval, calling, guard);
      const now: Holder | undefined = holders?.holderNamed ? await holders.holderNamed(holder.name) : holder;
      if (!now) throw new Failure(`the token of ${holder.name} was removed or has expired.`);
      if (now.trackers?.every((allowed) => allowed.toLowerCase() !== trackerName.toLowerCase())) {
        throw new Failure(`the token of ${holder.name} is not for this tracker any more.`);
      }
      return await sendApproved(approval, { ...calling, guard: guard.heldBy(holder) }, guard.heldBy(now));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return { state: 'stopped', message: `Nothing was sent: ${error.message}` };
    }
  }
}

/**
 * Sends what a person approved, once, through the guard. Throws a Failure if nothing was sent.
 * @param allowed what settings and token allow now, beside what they allowed when it was proposed
 */
async function sendApproved(approval: Approval, calling: CallContext, allowed: Guard): Promise<ProposalEnding> {
  const { proposal, approver } = approval;
  // The audit trail knows what was sent, even if what the store remembers is gone.
  const used = (await allowed.changes.all()).find(({ approved }) => approved?.proposal === proposal.id);
  if (used) throw new Failure(`it was sent before, as change ${used.id}.`);
  allowed.checkOffered({ name: proposal.tool, access: 'update' });
  const requests = proposal.steps.map((step) => requestOf(step, calling));
  const asked = requests.map((request) => ({ request }));
  await allowed.check({ tool: proposal.tool, steps: asked, undoes: proposal.undoes });
  const { steps, moved } = await lookAgain(proposal, requests, calling);
  if (moved.length > 0) {
    const message = `Nothing was sent: ${joinWords(moved, 'and')}. Look again, and propose it anew.`;
    return { state: 'stale', message };
  }
  const write = { tool: proposal.tool, steps, undoes: proposal.undoes, approval, effect: proposal.effect };
  const send = (request: TrackerRequest) => sendAndFind(request, calling);
  const { change, replies, failure } = await execute({ ...write, send }, calling);
  if (failure === undefined) return { state: 'done', change, message: `${approver} approved it, and it was sent.` };
  const reason = failure instanceof Failure ? failure.message : 'the server failed with a defect of its own.';
  return { state: 'stopped', change, message: `After ${replies.length} of ${steps.length} writes: ${reason}` };
}

/** The request of one write, made anew. Throws a Failure if it is none that could have been proposed. */
function requestOf(
  { tool, arguments: given, sent }: Proposal['steps'][number],
  { client }: CallContext,
): TrackerRequest {
  const endpoint: Endpoint | undefined = endpoints.find(({ name, access }) => name === tool && access !== 'read');
  if (!endpoint) throw new Failure(`${show(tool)} is no tool that writes.`);
  for (const [name, { schema, required }] of Object.entries(endpoint.parameters)) {
    const isFine = given[name] === undefined ? !required : schema.safeParse(given[name]).success;
    if (!isFine) throw new Failure(`${name} of ${tool} cannot be ${show(given[name])}.`);
  }
  const broken = findBrokenRule(endpoint.rules, given, (argument) => argument);
  if (broken) throw new Failure(broken);
  if (client.holdsKey(given)) throw new Failure('it holds the API key of the tracker.');
  const request = client.request(endpoint, given);
  if (isSameData(request.shown, sent)) return request;
  throw new Failure(`this server would send ${tool} otherwise than it was proposed; its settings or version changed.`);
}

/** The writes with the values that are there now, and what has moved since a person was shown it, in words. */
async function lookAgain(
  { steps, surroundings }: Proposal,
  requests: readonly TrackerRequest[],
  context: CallContext,
): Promise<{ readonly steps: readonly Step<TrackerRequest>[]; readonly moved: readonly string[] }> {
  const now = presentOf(context);
  const isWatched = Object.keys(surroundings).length > 0;
  const around = context.client.withoutKey(isWatched ? { ...(await surroundingsOf(requests, now)) } : {});
  const looked = await Promise.all(
    requests.map(async (request) => {
      const { values } = await readBefore(request.endpoint, request.arguments, now);
      return { request, before: values };
    }),
  );
  const moved = looked.flatMap(({ before }, index) => {
    const shown: Given = context.client.withoutKey({ ...before });
    const show = (name: string, value: unknown) => showArgument(name, value, context.currency);
    return Object.entries(steps[index]?.before ?? {})
      .filter(([name, value]) => !isSameData(shown[name], value))
      .map(([name, old]) => `${name} was ${show(name, old)} and is ${show(name, shown[name] ?? null)}`);
  });
  const others = Object.keys({ ...surroundings, ...around }).filter((name) => surroundings[name] !== around[name]);
  // What is said of a value need not be said of its page again.
  return { steps: looked, moved: moved.length > 0 ? moved : others.map((name) => `${name} is not what it was`) };
}

async function sendAndFind(request: TrackerRequest, context: CallContext) {
  const { endpoint, arguments: given } = request;
  const { pages } = endpoint.access === 'create' ? await readCurrentValues(endpoint, given, context) : {};
  const reply = await context.client.write(request, { signal: context.signal });
  return findAddedPage(reply, { endpoint, given, pages }, context);
}
