import type { Access } from '../api/endpoints.ts';
import { Failure } from '../api/failure.ts';
import type { Observer } from '../api/observer.ts';
import type { ReceiptReply } from '../api/replies.ts';
import { cleanText } from '../api/text/clean-text.ts';
import type { AuditTrail, Ending } from './audit-trail.ts';
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

/** One write, and what it takes to carry it out. */
export interface Write<Request extends WriteRequest> {
  readonly request: Request;
  readonly client: string;
  readonly ask: Ask;
  readonly signal?: AbortSignal | undefined;
  /** Sends the request that was judged, agreed to and recorded. */
  readonly send: (request: Request) => Promise<ReceiptReply>;
}

/** Decides what an agent may do, and sees to it that every write is agreed to and recorded. */
export class Guard {
  readonly #policy: Policy;
  readonly #holder: Holder | undefined;

  /** @param holder whose token the calls come with; without tokens the configuration alone decides */
  constructor(policy: Policy, holder?: Holder) {
    this.#policy = policy;
    this.#holder = holder;
  }

  /** The same policy, and beside it what a token allows. */
  heldBy(holder: Holder): Guard {
    return new Guard(this.#policy, holder);
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
   * Carries out a write: it is checked, a person agrees to it where that is asked for, it is recorded, sent, and its outcome
   * recorded.
   *
   * @throws Failure where a limit refuses it, it was not agreed to, cannot be recorded, or did not succeed
   */
  async carryOut<Request extends WriteRequest>(write: Write<Request>): Promise<ReceiptReply> {
    const { request, client, send } = write;
    this.check(request);
    await this.#agree(write);
    const { endpoint, arguments: given, shown } = request;
    const about = { tool: endpoint.name, owner: this.#holder?.name, arguments: given, sent: shown, client };
    const end = await this.#policy.auditTrail?.begin(about);
    try {
      const reply = await send(request);
      return await this.#recordDone(reply, end);
    } catch (error) {
      // The failure of the write matters more than the failure to record it; the first line stands for it.
      await end?.(endingOf(error)).catch(() => undefined);
      throw error;
    }
  }

  async #agree({ request, ask, signal }: Omit<Write<WriteRequest>, 'send'>): Promise<void> {
    const setting = this.#policy.confirm ? 'TRACKER_CONFIRM=elicit' : this.#proposing();
    if (!setting) return;
    const answer = await ask(questionOf(request));
    const { name } = request.endpoint;
    if (signal?.aborted) throw new Failure(`${name} was not sent: the call was cancelled.`);
    if (answer === 'yes') return;
    this.#policy.observer?.callRefused?.(name);
    throw new Failure(
      `${name} was not sent: the person’s agreement was declined or unavailable (${setting}).`,
      `${withoutYes[answer]} Nothing was changed.`,
    );
  }

  #proposing(): string | undefined {
    return this.#holder?.access === 'propose' ? `the token of ${this.#holder.name} may only propose` : undefined;
  }

  async #recordDone(reply: ReceiptReply, end: ((ending: Ending) => Promise<void>) | undefined): Promise<ReceiptReply> {
    try {
      await end?.({ outcome: 'ok', id: reply.receipt.id });
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
function questionOf({ endpoint, arguments: given }: WriteRequest): string {
  const lines = Object.entries(given)
    .filter(([name]) => name in endpoint.parameters)
    .map(([name, value]) => `- ${name.replaceAll('_', ' ')}: ${cleanText(JSON.stringify(value))}`);
  return `${endpoint.title}?\n${lines.join('\n')}\nThis changes live traffic.`;
}
