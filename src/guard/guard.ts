import type { Access } from '../api/endpoints.ts';
import { Failure } from '../api/failure.ts';
import type { Observer } from '../api/observer.ts';
import type { ReceiptReply } from '../api/replies.ts';
import { cleanText } from '../api/text/clean-text.ts';
import { shown } from '../api/text/tracker-text.ts';
import type { AuditTrail, Ending } from './audit-trail.ts';
import { type Change, type ChangeStep, Changes, type ValuesBefore } from './changes.ts';
import { checkLimits, type Limits } from './limits.ts';
import type { WriteRequest } from './write-request.ts';

/** What the configuration lets an agent do. */
export interface Policy {
  /** Writing tools are not even listed. It beats every other setting. */
  readonly readOnly: boolean;
  /** Only these tools; absent: all. */
  readonly tools?: readonly string[] | undefined;
  readonly limits: Limits;
  /** Whether a person must agree to each write. */
  readonly confirm: boolean;
  /** What the tracker is called, where there are several: a person who is asked must know which one is meant. */
  readonly tracker?: string | undefined;
  readonly auditTrail?: AuditTrail | undefined;
  readonly observer?: Observer | undefined;
}

/** Who calls, where a token says so, and what that token lets through of what the configuration does. */
export interface Holder {
  readonly name: string;
  /** `propose` may write where a person agrees to it. */
  readonly access: 'read' | 'propose' | 'write';
  /** Only these tools; absent: all. */
  readonly tools?: readonly string[] | undefined;
  /** Only these trackers, by name; absent: all. */
  readonly trackers?: readonly string[] | undefined;
  readonly limits: Limits;
}

type OfferedTool = { readonly name: string; readonly access: Access };

/**
 * What became of a question to the person behind the client.
 *
 * unavailable: the client cannot ask · failed: it tried and could not · unclear: it answered, but neither yes nor no ·
 * too-late: nobody answered in time
 */
export type Answer = 'yes' | 'no' | 'unavailable' | 'failed' | 'unclear' | 'too-late';

/** Asks the person behind the client. It may throw to end a call that is made again with the answer; that must pass. */
export type Ask = (question: string) => Promise<Answer>;

/** One write of an act. */
export interface Step<Request extends WriteRequest> {
  readonly request: Request;
  /** What was there before, as far as the tracker told. */
  readonly before?: ValuesBefore | undefined;
}

/** What one call changes, in one write or several, and what it takes to carry it out. */
export interface Act<Request extends WriteRequest> {
  /** The tool that was called. */
  readonly tool: string;
  /** In the order in which they are sent. */
  readonly steps: readonly Step<Request>[];
  /** What a person is asked; without it, what the writes say. */
  readonly question?: string;
  /** The change that it takes back. */
  readonly undoes?: string | undefined;
  readonly client: string;
  readonly ask: Ask;
  readonly signal?: AbortSignal | undefined;
  /** Sends a request that was judged, agreed to and recorded. */
  readonly send: (request: Request) => Promise<ReceiptReply>;
}

/** How far an act came. */
export interface Carried {
  /** The ID of the change. */
  readonly change: string;
  /** The replies to the writes that were done, in their order. */
  readonly replies: readonly ReceiptReply[];
  /** What ended it; the writes behind this one were not sent. */
  readonly failure: unknown;
}

/** Decides what an agent may do, and sees to it that every write is agreed to and recorded. */
export class Guard {
  readonly #policy: Policy;
  readonly #holder: Holder | undefined;
  /** What was changed, whoever's token it was. */
  readonly changes: Changes;

  /** @param holder whose token the calls come with; without tokens the configuration alone decides */
  constructor(policy: Policy, holder?: Holder, changes = new Changes(policy.auditTrail)) {
    this.#policy = policy;
    this.#holder = holder;
    this.changes = changes;
  }

  /** The same policy, and beside it what a token allows. */
  heldBy(holder: Holder): Guard {
    return new Guard(this.#policy, holder, this.changes);
  }

  /** Whether a tool is listed. */
  offers(tool: OfferedTool): boolean {
    return this.#reasonAgainst(tool) === undefined;
  }

  /**
   * Refuses the call of a tool that is not listed.
   *
   * @throws Failure that names the setting
   */
  checkOffered(tool: OfferedTool): void {
    const reason = this.#reasonAgainst(tool);
    if (!reason) return;
    this.#policy.observer?.callRefused?.(tool.name);
    throw new Failure(`${tool.name} is not offered by this server: ${reason}.`, 'Nothing was sent.');
  }

  #reasonAgainst({ name, access }: OfferedTool): string | undefined {
    const { readOnly, tools } = this.#policy;
    if (readOnly && access !== 'read') return 'it is read-only (TRACKER_READ_ONLY)';
    if (tools && !tools.includes(name)) return `only ${tools.join(', ')} are (TRACKER_TOOLS)`;
    const holder = this.#holder;
    if (holder?.access === 'read' && access !== 'read') return `the token of ${holder.name} may only read`;
    if (!holder?.tools || holder.tools.includes(name)) return undefined;
    return `the token of ${holder.name} is for ${holder.tools.join(', ')} alone`;
  }

  /**
   * Checks a write against the limits, before anything else happens with it. A dry run is checked too.
   *
   * @throws Failure that names the limit
   */
  check(request: WriteRequest): void {
    try {
      checkLimits(request, this.#policy.limits);
      if (this.#holder) checkLimits(request, this.#holder.limits, `the token of ${this.#holder.name}`);
    } catch (error) {
      this.#policy.observer?.callRefused?.(request.endpoint.name);
      throw error;
    }
  }

  /**
   * Carries out an act: every write is checked, a person agrees to the whole where that is asked for, and then each is
   * recorded, sent, and its outcome recorded, one after the other. The first that does not succeed ends it.
   *
   * @throws Failure where a limit refuses a write or the person does not agree: then nothing was sent
   */
  async carryOut<Request extends WriteRequest>(act: Act<Request>): Promise<Carried> {
    const { tool, steps, client, undoes, send } = act;
    for (const { request } of steps) this.check(request);
    await this.#agree(act);
    const change = this.changes.begin({ tool, client, undoes }, steps);
    const replies: ReceiptReply[] = [];
    for (const [index, { request }] of steps.entries()) {
      const step = change.steps[index];
      if (!step) break;
      try {
        replies.push(await this.#write(change, step, request, send));
      } catch (failure) {
        return { change: change.id, replies, failure };
      }
    }
    const undone = undoes === undefined ? undefined : await this.changes.find(undoes);
    if (undone) undone.undoneBy = change.id;
    return { change: change.id, replies, failure: undefined };
  }

  async #write<Request extends WriteRequest>(
    change: Change,
    step: ChangeStep,
    request: Request,
    send: (request: Request) => Promise<ReceiptReply>,
  ): Promise<ReceiptReply> {
    const { endpoint, arguments: given, shown: parameters } = request;
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
    });
    try {
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
    }
  }

  async #agree({ tool, steps, question, ask, signal }: Omit<Act<WriteRequest>, 'send'>): Promise<void> {
    const setting = this.#policy.confirm ? 'TRACKER_CONFIRM=elicit' : this.#proposing();
    if (!setting) return;
    const { tracker } = this.#policy;
    const asked = question ?? steps.map(questionOf).join('\n');
    const answer = await ask(tracker === undefined ? asked : `On the tracker ${tracker}:\n${asked}`);
    if (signal?.aborted) throw new Failure(`${tool} was not sent: the call was cancelled.`);
    if (answer === 'yes') return;
    this.#policy.observer?.callRefused?.(tool);
    throw new Failure(
      `${tool} was not sent: the person’s agreement was declined or unavailable (${setting}).`,
      `${withoutYes[answer]} Nothing was changed.`,
    );
  }

  #proposing(): string | undefined {
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

const otherClient = 'the person who runs this server can turn the question off or use another client.';

/** Why there is no yes, and what to do. */
const withoutYes: Readonly<Record<Exclude<Answer, 'yes'>, string>> = {
  no: 'Ask the person what they want before you try again.',
  unavailable: `This client cannot ask its user; ${otherClient}`,
  failed: `The client failed when it was to ask its user; if it fails again, ${otherClient}`,
  unclear: `The client’s answer to the question was neither yes nor no; if that comes again, ${otherClient}`,
  'too-late': 'Nobody answered the question in time; call again once the person is there.',
};

function endingOf(error: unknown): Ending {
  if (error instanceof Failure) return { outcome: error.outcome ?? 'unknown', message: error.message };
  return { outcome: 'unknown' };
}

/** What will change, in words a person can agree to. */
function questionOf({ request: { endpoint, arguments: given }, before = {} }: Step<WriteRequest>): string {
  const lines = Object.entries(given)
    .filter(([name]) => name in endpoint.parameters)
    .map(
      ([name, value]) =>
        `- ${name.replaceAll('_', ' ')}: ${name in before ? `${told(before[name])} -> ` : ''}${told(value)}`,
    );
  return `${endpoint.title}?\n${lines.join('\n')}\nThis changes live traffic.`;
}

function told(value: unknown): string {
  return cleanText(JSON.stringify(value));
}

/** The ID that the tracker gave, fit to be shown and recorded. */
function idOf({ receipt: { id } }: ReceiptReply): string | null {
  return id === null ? null : shown(id);
}
