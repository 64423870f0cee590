import type { Access } from '../api/endpoints.ts';
import { Failure } from '../api/failure.ts';
import type { TrackerObserver } from '../api/observer.ts';
import type { ReceiptReply } from '../api/table.ts';
import { shown } from '../api/text/tracker-text.ts';
import { toolsThatMaySend } from './allowed-steps.ts';
import type { AuditTrail, Ending } from './audit-trail.ts';
import { type Change, type ChangeStep, Changes } from './changes.ts';
import type { Holder, Limits } from './holder.ts';
import { checkLimits, limitsOn } from './limits.ts';
import type { AgreedAct, Approval } from './proposals/approvers.ts';
import { type Draft, ProposalMade } from './proposals/proposal.ts';
import type { Proposals } from './proposals/proposals.ts';
import { declinedMessages, questionOf } from './question.ts';
import type { Write, WriteRequest, WriteResult } from './write.ts';

/** What the configuration lets an agent do. */
export interface Policy {
  /** Writing tools are not even listed. It beats every other setting. */
  readonly readOnly: boolean;
  /** Only these tools; absent: all. */
  readonly tools?: readonly string[] | undefined;
  readonly limits: Limits;
  /** Whether a person must agree to each write; with `approve` they may do so later if the client cannot ask them. */
  readonly confirm: boolean | 'approve';
  /** Where writes wait for a person; absent if a yes has to come at once. */
  readonly proposals?: Proposals | undefined;
  /** What the tracker is called, if there are several: a person who is asked must know which one is meant. */
  readonly tracker?: string | undefined;
  readonly auditTrail?: AuditTrail | undefined;
  readonly observer?: TrackerObserver | undefined;
}

type OfferedTool = {
  readonly name: string;
  readonly access: Access;
  /** What it cannot do without: it is listed only if writes may wait for a person. */
  readonly needs?: 'proposals' | undefined;
};

/** Decides what an agent may do, and sees to it that every write is agreed to and recorded. */
export class Guard {
  readonly #policy: Policy;
  readonly #holder: Holder | undefined;
  /** What was changed with any token. */
  readonly changes: Changes;

  /** @param holder whose token the calls come with; without tokens the configuration alone decides */
  constructor(policy: Policy, holder?: Holder, changes = new Changes(policy.auditTrail)) {
    this.#policy = policy;
    this.#holder = holder;
    this.changes = changes;
  }

  /** The same policy, limited by a token too. */
  heldBy(holder: Holder): Guard {
    return new Guard(this.#policy, holder, this.changes);
  }

  /** Where the writes of these calls wait for a person who cannot be asked at once; undefined if they do not. */
  get proposals(): Proposals | undefined {
    const mayWait = this.#policy.confirm === 'approve' || this.#holder?.access === 'propose';
    return mayWait ? this.#policy.proposals : undefined;
  }

  /** What the configuration allows, as far as a person's yes rests on it. */
  get policy(): Draft['policy'] {
    const { readOnly, tools, limits, confirm } = this.#policy;
    return { readOnly, tools, limits, confirm };
  }

  get holderName(): string | undefined {
    return this.#holder?.name;
  }

  get asksFirst(): boolean {
    return this.#asking !== undefined;
  }

  offers(tool: OfferedTool): boolean {
    return this.#reasonAgainst(tool) === undefined;
  }

  /** Refuses the call of a tool that is not listed. Throws a Failure that names the setting. */
  checkOffered(tool: OfferedTool): void {
    const reason = this.#reasonAgainst(tool);
    if (!reason) return;
    this.#policy.observer?.callRefused?.(tool.name);
    throw new Failure(`${tool.name} is not offered by this server: ${reason}.`, 'Nothing was sent.');
  }

  #reasonAgainst({ name, access, needs }: OfferedTool): string | undefined {
    if (needs && !this.proposals) return 'no write waits for a person here (TRACKER_CONFIRM=approve)';
    const { readOnly, tools } = this.#policy;
    if (readOnly && access !== 'read') return 'it is read-only (TRACKER_READ_ONLY)';
    if (tools && !tools.includes(name)) return `only ${tools.join(', ')} are (TRACKER_TOOLS)`;
    const holder = this.#holder;
    if (holder?.access === 'read' && access !== 'read') return `the token of ${holder.name} may only read`;
    if (!holder?.tools || holder.tools.includes(name)) return undefined;
    return `the token of ${holder.name} is for ${holder.tools.join(', ')} alone`;
  }

  /** What limits an argument of a tool, in sentences for its description. Reading tools are not limited. */
  limitsOn(argument: string, tool: { readonly access: Access; readonly arguments: readonly string[] }): string[] {
    if (tool.access === 'read') return [];
    const holder = this.#holder;
    return [
      ...limitsOn(argument, tool, this.#policy.limits),
      ...(holder ? limitsOn(argument, tool, holder.limits, `the token of ${holder.name}`) : []),
    ];
  }

  /** Checks each request of a write, also of a dry run. Throws a Failure that names the setting or the limit. */
  async check({ tool, steps, undoes }: Pick<Write<WriteRequest>, 'tool' | 'steps' | 'undoes'>): Promise<void> {
    const undone =
      undoes === undefined ? [] : ((await this.changes.find(undoes))?.steps ?? []).map((step) => step.tool);
    try {
      for (const { request } of steps) {
        this.#checkSender(tool, request, undone);
        checkLimits(request, this.#policy.limits);
        if (this.#holder) checkLimits(request, this.#holder.limits, `the token of ${this.#holder.name}`);
      }
    } catch (error) {
      this.#policy.observer?.callRefused?.(tool);
      throw error;
    }
  }

  #checkSender(tool: string, request: WriteRequest, undone: readonly string[]): void {
    const [own = '', ...others] = toolsThatMaySend(request, undone);
    const [reason] = [own, ...others].map((name) => this.#reasonAgainst({ name, access: 'update' }));
    if (reason === undefined || others.some((name) => this.offers({ name, access: 'update' }))) return;
    throw new Failure(
      `${tool} was refused, and nothing was sent: it would send ${own}, which is not offered by this server: ${reason}.`,
      'Only the person who runs this server can change that; ask them.',
    );
  }

  /**
   * Executes a write once all of it is checked and agreed to, step by step; the first that does not succeed ends it.
   * Throws a Failure if it is refused, or ProposalMade if it waits for a person: then nothing was sent.
   */
  async execute<Request extends WriteRequest>(write: Write<Request>): Promise<WriteResult> {
    const { tool, steps, client, undoes, approval, send } = write;
    await this.check(write);
    // A person is not asked about what cannot be sent.
    this.changes.journal?.requireThere();
    await this.#agree(write);
    const approved = approval && { proposal: approval.proposal.id, approver: approval.approver };
    const change = await this.changes.begin({ tool, client, undoes, approved }, steps);
    const replies: ReceiptReply[] = [];
    for (const [index, { request }] of steps.entries()) {
      try {
        replies.push(await this.#sendStep(change, index, request, send));
      } catch (failure) {
        return { change: change.id, replies, failure };
      }
    }
    return { change: change.id, replies, failure: undefined };
  }

  async #sendStep<Request extends WriteRequest>(
    change: Change,
    index: number,
    request: Request,
    send: (request: Request) => Promise<ReceiptReply>,
  ): Promise<ReceiptReply> {
    const { endpoint, arguments: given, shown: parameters } = request;
    const step = stepOf(change, index);
    const end = await this.#policy.auditTrail?.begin({
      tool: endpoint.name,
      owner: this.#holder?.name,
      arguments: given,
      sent: parameters,
      client: change.client,
      change: change.id,
      act: change.tool,
      before: step.before,
      ...(change.undoes === undefined ? {} : { undoes: change.undoes }),
      ...change.approved,
    });
    try {
      await this.changes.journal?.announce(change, index);
      const reply = await send(request);
      step.outcome = 'ok';
      step.id = idOf(reply);
      return await this.#recordDone(reply, end);
    } catch (error) {
      const ending = endingOf(error);
      step.outcome = ending.outcome;
      // The failure of the write matters more than the failure to record it; the first line stands for it.
      await end?.(ending).catch(() => undefined);
      throw error;
    } finally {
      await this.changes.journal?.settle(change, index);
    }
  }

  async #agree(write: Omit<Write<WriteRequest>, 'send'>): Promise<void> {
    const { tool, steps, question, currency, ask, approval, signal } = write;
    if (approval) return this.#checkApproval(approval, write);
    const setting = this.#asking;
    if (!setting) return;
    const { tracker } = this.#policy;
    const asked = question ?? steps.map((step) => questionOf(step, currency)).join('\n');
    const answer = await ask(tracker === undefined ? asked : `On the tracker ${tracker}:\n${asked}`);
    if (signal?.aborted) throw new Failure(`${tool} was not sent: the call was cancelled.`);
    if (answer === 'yes') return;
    // A no is a no: it is not put to the same person a second time.
    if (answer !== 'no' && this.proposals) throw new ProposalMade(await this.proposals.make(await this.#draft(write)));
    this.#policy.observer?.callRefused?.(tool);
    throw new Failure(
      `${tool} was not sent: the person’s agreement was declined or unavailable (${setting}).`,
      `${declinedMessages[answer]} Nothing was changed.`,
    );
  }

  /** @throws Failure if the yes was given to something else than what is about to be sent */
  #checkApproval(approval: Approval, write: Omit<Write<WriteRequest>, 'send'>): void {
    if (approval.covers(this.#agreedAct(write))) return;
    this.#policy.observer?.callRefused?.(write.tool);
    throw new Failure(
      `${write.tool} was not sent: it is not what ${approval.approver} approved.`,
      'Nothing was changed; propose it anew.',
    );
  }

  /** What a yes is given to: the requests, who asks for them, and what the settings allow. */
  #agreedAct({ tool, undoes, steps }: Pick<Write<WriteRequest>, 'tool' | 'undoes' | 'steps'>): AgreedAct {
    const holder = this.#holder;
    return {
      ...{ tool, undoes, policy: this.policy },
      steps: steps.map(({ request: { endpoint, arguments: given, shown: sent } }) => ({
        ...{ tool: endpoint.name, arguments: given, sent: { ...sent } },
      })),
      holder: holder ? { name: holder.name, access: holder.access, tools: holder.tools, limits: holder.limits } : null,
    };
  }

  async #draft(write: Omit<Write<WriteRequest>, 'send'>): Promise<Draft> {
    const { steps, ...about } = this.#agreedAct(write);
    const { before, ...context } = await write.context();
    return {
      ...about,
      ...context,
      trackerName: this.#policy.tracker,
      client: write.client,
      currency: write.currency,
      steps: steps.map((step, index) => ({ ...step, before: { ...before[index] } })),
    };
  }

  /** The setting or token by which a person is asked before each write; undefined if none is. */
  get #asking(): string | undefined {
    const { confirm } = this.#policy;
    if (confirm !== false) return `TRACKER_CONFIRM=${confirm === 'approve' ? 'approve' : 'elicit'}`;
    return this.#holder?.access === 'propose' ? `the token of ${this.#holder.name} may only propose` : undefined;
  }

  async #recordDone(reply: ReceiptReply, end: ((ending: Ending) => Promise<void>) | undefined): Promise<ReceiptReply> {
    try {
      await end?.({ outcome: 'ok', id: idOf(reply) });
      return reply;
    } catch {
      return { ...reply, notices: [...reply.notices, 'The write was done, but the audit log could not be completed.'] };
    }
  }
}

function stepOf({ steps }: Change, index: number): ChangeStep {
  const step = steps[index];
  if (!step) throw new TypeError('a change has a step for each of its writes');
  return step;
}

function endingOf(error: unknown): Ending {
  if (error instanceof Failure) return { outcome: error.outcome ?? 'unknown', message: error.message };
  return { outcome: 'unknown' };
}

/** The ID that the tracker gave, fit to be shown and recorded. */
function idOf({ receipt: { id } }: ReceiptReply): string | null {
  return id === null ? null : shown(id);
}
