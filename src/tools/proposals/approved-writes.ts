import { isSameData } from '../../api/text/json.ts';
import type { Approval } from '../../guard/proposals/approval.ts';
import type { Proposals } from '../../guard/proposals/proposals.ts';
import type { CallContext, ToolContext } from '../define-tool.ts';
import { identityIn } from '../trackers/identity-in.ts';
import { sendApproved } from './send-approved.ts';

/** How often it is looked whether somebody decided. */
const intervalMs = 1000;

/** Sends what people approve while a server runs: what was proposed for its tracker, under its settings. */
export class ApprovedWrites {
  readonly #proposals: Proposals;
  readonly #context: ToolContext;
  readonly #onFailure: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  /** The looks that are waited for: one after another, so that nothing is taken up twice here. */
  #looks: Promise<void> = Promise.resolve();
  #pending = 0;
  #isStopped = false;

  /** @param onFailure told of what keeps this from looking, which is tried again */
  constructor(proposals: Proposals, context: ToolContext, onFailure: (error: unknown) => void) {
    this.#proposals = proposals;
    this.#context = context;
    this.#onFailure = onFailure;
  }

  /** Looks from now on; it does not keep the process from ending. */
  start(): void {
    const look = () => {
      if (this.#pending === 0) void this.look();
    };
    this.#timer ??= setInterval(look, intervalMs).unref();
  }

  /** Sends what is approved now; resolves when that is done. */
  look(): Promise<void> {
    this.#pending += 1;
    this.#looks = this.#looks
      .then(() => this.#look())
      .catch(this.#onFailure)
      .finally(() => {
        this.#pending -= 1;
      });
    return this.#looks;
  }

  /** Takes up nothing more; resolves when nothing is being sent. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#looks;
  }

  async #look(): Promise<void> {
    if (this.#isStopped) return;
    for (const approval of await this.#proposals.approved()) {
      if (this.#isStopped) return;
      if (!(await this.#isOurs(approval)) || !(await this.#proposals.take(approval))) continue;
      await this.#proposals.finish(approval, await sendApproved(approval, this.#calling(approval)));
    }
  }

  /** What was proposed elsewhere, or under other settings, is left to a server that has them. */
  async #isOurs({ proposal: { policy, tracker } }: Approval): Promise<boolean> {
    const isAllowed = isSameData(policy, this.#context.guard.policy);
    return isAllowed && tracker === (await identityIn(this.#context));
  }

  #calling({ proposal: { client } }: Approval): CallContext {
    return { ...this.#context, caller: client, ask: async () => 'unavailable' };
  }
}
