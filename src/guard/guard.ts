import type { Access } from '../api/endpoints.ts';
import { Failure, type Outcome } from '../api/failure.ts';
import type { TrackerObserver } from '../api/observer.ts';
import { countInWords } from '../api/rules.ts';
import type { ReceiptReply } from '../api/table.ts';
import { shown } from '../api/text/tracker-text.ts';
import { toolsThatMaySend } from './allowed-steps.ts';
import type { Approval, Draft } from './approval.ts';
import type { AuditTrail, Ending } from './audit-trail.ts';
import { type Change, Changes, newChangeId, takesBack } from './changes.ts';
import type { Holder, PolicyLimits } from './holder.ts';
import { checkLimits, limitsOn } from './limits.ts';
import type { Proposals } from './proposals.ts';
import {
  declinedMessages,
  type Execution,
  partsOf,
  type Step,
  type WaitingWrite,
  type Write,
  type WriteRequest,
  type WriteResult,
} from './write.ts';

/** What the configuration lets an agent do. */
export interface Policy {
  /** Hides the writing tools. It beats every other setting. */
  readonly readOnly: boolean;
  /** Only these tools are offered; absent: all. */
  readonly tools?: readonly string[] | undefined;
  readonly limits: PolicyLimits;
  /** Whether a person must agree to each write. With `approve` they can do so later if the client cannot ask them. */
  readonly confirm: boolean | 'approve';
  /** Where writes wait for a person; absent if no write can wait. */
  readonly proposals?: Proposals | undefined;
  /** The name of the tracker, if there are several. Questions to a person include it. */
  readonly tracker?: string | undefined;
  readonly auditTrail?: AuditTrail | undefined;
  readonly observer?: TrackerObserver | undefined;
}

/** The longest question about a set, in characters; a proposal has the same bound. */
const maxQuestionLength = 25_000;

/** Another server that shares the log sends what this one was about to send. */
class DayIsOver extends Failure {
  override readonly outcome: Outcome = 'not-sent';

  constructor(max: number) {
    super(
      `Another server of yours sends at this moment, and all together may send ${max} on a day (TRACKER_MAX_CHANGES), so this was not sent.`,
      'Look with list_changes in a moment.',
    );
  }
}

type OfferedTool = {
  readonly name: string;
  readonly access: Access;
  /** With `proposals` it is offered only if writes can wait for a person. */
  readonly needs?: 'proposals' | undefined;
};

/** Decides what an agent may do. Every write passes it, and is checked, agreed to and recorded on the way. */
export class Guard {
  readonly #policy: Policy;
  readonly #holder: Holder | undefined;
  /** The changes made with all tokens. */
  readonly changes: Changes;

  /** @param holder the holder of the caller's token; without tokens the configuration alone decides */
  constructor(policy: Policy, holder?: Holder, changes = new Changes(policy.auditTrail)) {
    this.#policy = policy;
    this.#holder = holder;
    this.changes = changes;
  }

  /** The same policy, limited by a token too. */
  heldBy(holder: Holder): Guard {
    return new Guard(this.#policy, holder, this.changes);
  }

  /** Where a write waits if the person cannot be asked at once; undefined if this caller's writes cannot wait. */
  get proposals(): Proposals | undefined {
    const mayWait = this.#policy.confirm === 'approve' || this.#holder?.access === 'propose';
    return mayWait ? this.#policy.proposals : undefined;
  }

  /** The part of the configuration that a person's yes covers. */
  get policy(): Draft['policy'] {
    const { readOnly, tools, limits, confirm } = this.#policy;
    return { readOnly, tools, limits, confirm };
  }

  get holderName(): string | undefined {
    return this.#holder?.name;
  }

  get asksFirst(): boolean {
    return this.#askingSetting !== undefined;
  }

  offers(tool: OfferedTool): boolean {
    return this.#reasonAgainst(tool) === undefined;
  }

  /** Throws a Failure that names the setting if the tool is not offered. */
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
    return `the token of ${holder.name} allows only ${holder.tools.join(', ')}`;
  }

  /** The limits on an argument of a tool, in sentences for its description. Reading tools have none. */
  limitsOn(argument: string, tool: { readonly access: Access; readonly arguments: readonly string[] }): string[] {
    if (tool.access === 'read') return [];
    const holder = this.#holder;
    return [
      ...limitsOn(argument, tool, this.#policy.limits),
      ...(holder ? limitsOn(argument, tool, holder.limits, `the token of ${holder.name}`) : []),
    ];
  }

  /** Checks a write, also on a dry run. Throws a Failure that names the setting or the limit. */
  async check(write: Omit<Write, 'consent'>): Promise<void> {
    await this.checkRequests(write);
    const { counted, max } = await this.#countOf(write);
    if (counted > max) this.#refuseCount(write.tool, `it would send ${countInWords(counted, 'request')}`, max);
    if (counted > 0) {
      const sent = await this.changes.sentToday();
      if (sent + counted > max) this.#refuseDay(write.tool, counted, sent, max);
    }
  }

  /** The same for each request alone, whatever else is sent. */
  async checkRequests(write: Omit<Write, 'consent'>): Promise<void> {
    for (const part of partsOf(write)) {
      // A set may send only what its caller may also send without it.
      if (write.parts) this.checkOffered({ name: part.tool, access: 'update' });
      await this.#checkPart(write.tool, part);
    }
  }

  /** The requests of a write that count, and how many may be sent: what takes a change back can never be too much. */
  async #countOf(write: Omit<Write, 'consent'>): Promise<{ readonly counted: number; readonly max: number }> {
    const { maxChanges: max } = this.#policy.limits;
    if (max === undefined) return { counted: 0, max: Number.POSITIVE_INFINITY };
    const counts = await Promise.all(
      partsOf(write).map(async ({ undoes, steps }) => {
        const undone = undoes === undefined ? undefined : await this.changes.find(undoes);
        return takesBack(undone) ? 0 : steps.length;
      }),
    );
    return { counted: counts.reduce((sum, count) => sum + count, 0), max };
  }

  /** @param taken by other servers, besides those that were sent */
  #refuseDay(tool: string, counted: number, sent: number, max: number, taken = 0): never {
    const today = sent === 1 ? '1 was sent today' : `${sent} were sent today`;
    const others = taken === 0 ? '' : `, other servers took ${taken} more to send`;
    return this.#refuseCount(tool, `it would send ${countInWords(counted, 'request')}, ${today} (UTC)${others}`, max);
  }

  #refuseCount(tool: string, problem: string, max: number): never {
    this.#policy.observer?.callRefused?.(tool);
    throw new Failure(
      `${tool} was refused, and nothing was sent: ${problem}, and an act or a day may send ${max} (TRACKER_MAX_CHANGES).`,
      'Only the person who runs this server can change that limit; ask them.',
    );
  }

  async #checkPart(tool: string, { undoes, steps }: Pick<Write, 'undoes' | 'steps'>): Promise<void> {
    const undone = undoes === undefined ? undefined : await this.changes.find(undoes);
    const undoneTools = undone?.steps.map((step) => step.tool) ?? [];
    try {
      for (const { request } of steps) {
        this.#checkSender(tool, request, undoneTools);
        checkLimits(tool, request, this.#policy.limits);
        if (this.#holder) checkLimits(tool, request, this.#holder.limits, `the token of ${this.#holder.name}`);
      }
    } catch (error) {
      this.#policy.observer?.callRefused?.(tool);
      throw error;
    }
  }

  #checkSender(tool: string, request: WriteRequest, undoneTools: readonly string[]): void {
    const senders = toolsThatMaySend(request, undoneTools);
    const isOffered = (name: string) => this.offers({ name, access: 'update' });
    if (senders.some(isOffered)) return;
    const { name } = request.endpoint;
    const reason = this.#reasonAgainst({ name, access: 'update' });
    throw new Failure(
      `${tool} was refused, and nothing was sent: it would send ${name}, which is not offered by this server: ${reason}.`,
      'Only the person who runs this server can change that; ask them.',
    );
  }

  /**
   * Checks all of a write, gets the yes to it, and sends it step by step until one fails.
   * Throws a Failure if the write is refused: then nothing was sent.
   */
  async execute<WriteStep extends Step>(
    write: Write<WriteStep>,
    execution: Execution<WriteStep>,
  ): Promise<WriteResult | WaitingWrite> {
    await this.check(write);
    // First, so that no person is asked about a write that cannot be sent.
    this.changes.requireJournal();
    const agreed = await this.#agree(write, execution);
    if (agreed && 'waiting' in agreed) return agreed;
    const { counted, max } = await this.#countOf(write);
    const taken = await this.changes.takeFromDay(counted, max);
    if ('sent' in taken) return this.#refuseDay(write.tool, counted, taken.sent, max, taken.taken);
    let unsent = write.steps.length;
    try {
      const result = await this.#send(write, execution, agreed, counted > 0 ? max : undefined);
      // The step that failed may have been sent.
      unsent -= result.replies.length + (result.failure === undefined ? 0 : 1);
      return result;
    } finally {
      taken.giveBack(unsent);
    }
  }

  /** Sends the steps in order, until one fails. A write of a set becomes a change when its turn comes. */
  async #send<WriteStep extends Step>(
    write: Write<WriteStep>,
    { client, send }: Execution<WriteStep>,
    agreed: Change['approved'],
    maxOfDay: number | undefined,
  ): Promise<WriteResult> {
    const parts = partsOf(write);
    const set = write.parts ? newChangeId() : undefined;
    const changes: string[] = [];
    const replies: ReceiptReply[] = [];
    const result = (failure: unknown) => ({ change: set ?? changes[0] ?? '', changes, replies, failure });
    try {
      for (const [index, part] of parts.entries()) {
        const place = set === undefined ? undefined : { id: set, number: index + 1, of: parts.length };
        const about = { client, owner: this.#holder?.name, approved: agreed, set: place };
        const change = await this.changes.begin(part, about);
        changes.push(change.id);
        for (const [number, step] of part.steps.entries()) {
          const sendInDay = async () => {
            // Its line is in the log: of two servers that look now, one at least sees the other's.
            if (maxOfDay !== undefined && (await this.changes.sentToday()) > maxOfDay) throw new DayIsOver(maxOfDay);
            return send(step);
          };
          replies.push(await this.#sendStep(change, number, step, sendInDay));
        }
      }
    } catch (failure) {
      if (changes.length === 0) throw failure;
      return result(failure);
    }
    return result(undefined);
  }

  async #sendStep(
    change: Change,
    index: number,
    { request, before = {} }: Step,
    send: () => Promise<ReceiptReply>,
  ): Promise<ReceiptReply> {
    const endLine = await this.#policy.auditTrail?.begin({
      tool: request.endpoint.name,
      owner: this.#holder?.name,
      arguments: request.arguments,
      sent: request.shown,
      client: change.client,
      change: change.id,
      act: change.tool,
      before,
      undoes: change.undoes,
      set: change.set,
      requests: change.steps.length > 1 ? change.steps.length : undefined,
      ...change.approved,
    });
    let ending: Ending = { outcome: 'unknown' };
    try {
      if (index === 0) await this.changes.requireFirst(change);
      await this.changes.announce(change, index);
      const reply = await send();
      const { id } = reply.receipt;
      ending = { outcome: 'ok', id: id === null ? null : shown(id) };
      const isLogged = await endLine?.(ending).then(
        () => true,
        () => false,
      );
      return isLogged === false ? { ...reply, notices: [...reply.notices, { code: 'audit-incomplete' }] } : reply;
    } catch (error) {
      if (error instanceof Failure) ending = { outcome: error.outcome ?? 'unknown', message: error.message };
      // The failure of the write matters more than the failure to log it.
      await endLine?.(ending).catch(() => undefined);
      throw error;
    } finally {
      await this.changes.settle(change, index, ending);
    }
  }

  /** Gets the yes to a write. Returns the approval; undefined if none was needed, or the client asked for it. */
  async #agree(write: Write, execution: Execution<never>): Promise<Change['approved'] | WaitingWrite> {
    const { tool, consent } = write;
    if (typeof consent !== 'string') return this.#checkApproval(write, consent);
    const setting = this.#askingSetting;
    if (setting === undefined) return undefined;
    const { tracker, observer } = this.#policy;
    if (write.parts && consent.length > maxQuestionLength) {
      throw new Failure(
        `${tool} was not sent: the question about it is too long for a person to check.`,
        'Change less at once.',
      );
    }
    const answer = await execution.ask(tracker === undefined ? consent : `On the tracker ${tracker}:\n${consent}`);
    if (execution.signal?.aborted) throw new Failure(`${tool} was not sent: the call was cancelled.`);
    if (answer === 'yes') return undefined;
    // After a no the same person is not asked again by a proposal.
    if (answer !== 'no' && this.proposals) {
      return { waiting: await this.proposals.make(await this.#draft(write, execution)) };
    }
    observer?.callRefused?.(tool);
    throw new Failure(
      `${tool} was not sent: the person’s agreement was declined or unavailable (${setting}).`,
      `${declinedMessages[answer]} Nothing was changed.`,
    );
  }

  /** @throws Failure if the approval is for anything but this write */
  #checkApproval(write: Write, approval: Approval): Change['approved'] {
    const { proposal, approver } = approval;
    if (approval.covers(this.#agreedPart(write))) return { proposal: proposal.id, approver };
    this.#policy.observer?.callRefused?.(write.tool);
    throw new Failure(
      `${write.tool} was not sent: it is not what ${approver} approved.`,
      'The settings or the version of this server may have changed. Nothing was changed; propose it again.',
    );
  }

  /** What a yes covers: the requests, the caller, and what the settings allow. */
  #agreedPart({ tool, undoes, parts, steps }: Write) {
    const holder = this.#holder;
    return {
      tool,
      undoes,
      parts: parts?.map((part) => ({ ...part })),
      policy: this.policy,
      steps: steps.map(({ request: { endpoint, arguments: given, shown: sent } }) => ({
        tool: endpoint.name,
        arguments: given,
        sent: { ...sent },
      })),
      holder: holder ? { name: holder.name, access: holder.access, tools: holder.tools, limits: holder.limits } : null,
    };
  }

  async #draft(write: Write, { client, currency, proposalContext }: Execution<never>): Promise<Draft> {
    const { before, ...context } = await proposalContext();
    const { steps, ...agreed } = this.#agreedPart(write);
    return {
      ...agreed,
      ...context,
      trackerName: this.#policy.tracker,
      client,
      currency,
      steps: steps.map((step, index) => ({ ...step, before: { ...before[index] } })),
    };
  }

  /** The setting or token that requires a person's yes to each write; undefined if none does. */
  get #askingSetting(): string | undefined {
    const { confirm } = this.#policy;
    if (confirm !== false) return `TRACKER_CONFIRM=${confirm === 'approve' ? 'approve' : 'elicit'}`;
    return this.#holder?.access === 'propose' ? `the token of ${this.#holder.name} may only propose` : undefined;
  }
}
