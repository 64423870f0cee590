import { type Endpoint, endpoints } from '../../api/endpoints.ts';
import { Failure } from '../../api/failure.ts';
import { findBrokenRule, joinWords } from '../../api/rules.ts';
import { isSameData } from '../../api/text/json.ts';
import type { TrackerRequest } from '../../client/request.ts';
import type { Guard } from '../../guard/guard.ts';
import type { Approval } from '../../guard/proposals/approval.ts';
import type { Proposal } from '../../guard/proposals/proposal.ts';
import type { ProposalEnding } from '../../guard/proposals/proposals.ts';
import type { Step } from '../../guard/write-request.ts';
import { show } from '../check-arguments.ts';
import type { CallContext, Given } from '../define-tool.ts';
import { showArgument } from '../present/change-steps.ts';
import { findAddedPage, pagesBefore } from '../rotation/campaign-pages.ts';
import { presentOf, readBefore, surroundingsOf } from '../rotation/current-values.ts';
import { execute } from '../rotation/execute.ts';

/**
 * Sends what a person approved, once, through the guard like every other write.
 *
 * @returns what became of it; nothing of what can go wrong is thrown but a defect
 */
export async function sendApproved(approval: Approval, context: CallContext): Promise<ProposalEnding> {
  const { proposal, approver } = approval;
  const guard = proposal.holder ? context.guard.heldBy(proposal.holder) : context.guard;
  const calling = { ...context, guard };
  try {
    await refuseUsed(proposal, guard);
    const requests = proposal.steps.map((step) => requestOf(step, calling));
    const { steps, moved } = await lookAgain(proposal, requests, calling);
    if (moved.length > 0) {
      return {
        state: 'stale',
        message: `Nothing was sent: ${joinWords(moved, 'and')}. Look again, and propose it anew.`,
      };
    }
    const { change, replies, failure } = await execute(
      {
        ...{ tool: proposal.tool, steps, undoes: proposal.undoes, approval, effect: proposal.effect },
        send: (request) => send(request, calling),
      },
      calling,
    );
    if (failure === undefined) return { state: 'done', change, message: `${approver} approved it, and it was sent.` };
    const reason = failure instanceof Failure ? failure.message : 'the server failed with a defect of its own.';
    return { state: 'stopped', change, message: `After ${replies.length} of ${steps.length} writes: ${reason}` };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { state: 'stopped', message: `Nothing was sent: ${error.message}` };
  }
}

/** The audit trail knows what was sent, even where somebody took away what the store remembers. */
async function refuseUsed({ id }: Proposal, { changes }: Guard): Promise<void> {
  const used = (await changes.all()).find(({ approved }) => approved?.proposal === id);
  if (used) throw new Failure(`it was sent before, as change ${used.id}.`);
}

/**
 * The request of one write, made anew and held against what was proposed.
 *
 * @throws Failure where it is none that could have been proposed
 */
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
    requests.map(async (request, index) => {
      const { values } = await readBefore(request.endpoint, request.arguments, now);
      const shown: Given = context.client.withoutKey({ ...values });
      const moved = Object.entries(steps[index]?.before ?? {}).filter(
        ([name, value]) => !isSameData(shown[name], value),
      );
      return {
        step: { request, before: values },
        moved: moved.map(([name, old]) => {
          const [was, is] = [old, shown[name] ?? null].map((one) => showArgument(name, one, context.currency));
          return `${name} was ${was} and is ${is}`;
        }),
      };
    }),
  );
  const values = looked.flatMap(({ moved }) => moved);
  const names = new Set([...Object.keys(surroundings), ...Object.keys(around)]);
  const others = [...names].filter((name) => surroundings[name] !== around[name]);
  return {
    steps: looked.map(({ step }) => step),
    // What is said of a value need not be said of its page again.
    moved: values.length > 0 ? values : others.map((name) => `${name} is not what it was`),
  };
}

async function send(request: TrackerRequest, context: CallContext) {
  const { endpoint, arguments: given } = request;
  const ahead = await pagesBefore(endpoint, given, context);
  const reply = await context.client.write(request, { signal: context.signal });
  return findAddedPage(reply, { endpoint, given, ahead }, context);
}
