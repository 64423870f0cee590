import { isSameData } from '../../api/text/json.ts';
import type { Approver } from './approvers.ts';
import { type Decision, isSigned } from './decision.ts';
import type { Draft, Proposal } from './proposal.ts';

/** What the guard knows of an act that is about to be sent. */
export type AgreedAct = Pick<Draft, 'tool' | 'undoes' | 'holder' | 'policy'> & {
  readonly steps: readonly Pick<Draft['steps'][number], 'tool' | 'arguments' | 'sent'>[];
};

/** A person's yes to one proposal. There is no way to make one but from a decision that one of the approvers signed. */
export class Approval {
  readonly proposal: Proposal;
  /** Whose yes it is. */
  readonly approver: string;

  private constructor(proposal: Proposal, approver: string) {
    this.proposal = proposal;
    this.approver = approver;
  }

  /** @returns undefined where it is no yes, about something else, or of nobody who may say it */
  static of(decided: Decision, proposal: Proposal, approvers: readonly Approver[]): Approval | undefined {
    return decided.verdict === 'yes' && isDecidedBy(decided, proposal, approvers)
      ? new Approval(proposal, decided.approver)
      : undefined;
  }

  /** Whether what is about to be sent is what was agreed to: by whom, within which policy, and each request of it. */
  covers({ tool, undoes, steps, holder, policy }: AgreedAct): boolean {
    const { proposal } = this;
    const agreed = {
      ...{ tool: proposal.tool, undoes: proposal.undoes, holder: proposal.holder, policy: proposal.policy },
      steps: proposal.steps.map((step) => ({ tool: step.tool, arguments: step.arguments, sent: step.sent })),
    };
    return isSameData({ tool, undoes, steps, holder, policy }, agreed);
  }
}

/** Whether one of the approvers decided so about exactly this proposal. */
export function isDecidedBy(decided: Decision, proposal: Proposal, approvers: readonly Approver[]): boolean {
  const approver = approvers.find(({ name }) => name === decided.approver);
  return approver !== undefined && isSigned(decided, proposal, approver.public_key);
}
